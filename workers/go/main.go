// Workers for pqlab in Go. By default, the program offers the standard library, and CIRCL for ML-DSA and SLH-DSA. With
// the argument `standard`, it offers only the standard library, which has ML-DSA since Go 1.27.
//
// docs/workers.md describes the protocol. An algorithm is a table of operations. An operation parses its inputs once
// and returns the timed function. `call` runs the timed function once, `visit` runs it in a loop.
package main

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/mlkem"
	"crypto/mlkem/mlkemtest"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"

	"github.com/cloudflare/circl/sign"
	"github.com/cloudflare/circl/sign/mldsa/mldsa44"
	"github.com/cloudflare/circl/sign/mldsa/mldsa65"
	"github.com/cloudflare/circl/sign/mldsa/mldsa87"
	"github.com/cloudflare/circl/sign/slhdsa"
)

// Error for a valid algorithm or input that the worker does not support.
type unsupported string

func (u unsupported) Error() string { return string(u) }

var errArguments = errors.New("wrong number of fields, or invalid number")

// An operation on one set of inputs: the timed function, which stores its result, and a function that returns the
// result as bytes.
type operation struct {
	run     func() error
	outputs func() [][]byte
}

// Parses the inputs of an operation.
type ready func(inputs [][]byte) (operation, error)

type offer struct {
	text       string
	operations map[string]ready
}

var null = map[string]ready{"null": func([][]byte) (operation, error) {
	return operation{func() error { return nil }, func() [][]byte { return nil }}, nil
}}

func one(result *[]byte) func() [][]byte { return func() [][]byte { return [][]byte{*result} } }

// Returns the input with this index if it exists and is not empty.
func optional(inputs [][]byte, index int) []byte {
	if index < len(inputs) && len(inputs[index]) > 0 {
		return inputs[index]
	}
	return nil
}

func length(what string, bytes []byte, expected int) error {
	if len(bytes) != expected {
		return fmt.Errorf("%s must be %d bytes long, not %d", what, expected, len(bytes))
	}
	return nil
}

// Checks the number of inputs. If an encoding is given, also checks that the first input names this encoding.
func inputs(given [][]byte, least, most int, encoding string) error {
	if len(given) < least || len(given) > most {
		return errArguments
	}
	if encoding != "" && string(given[0]) != encoding {
		return unsupported("only " + encoding + " keys are supported")
	}
	return nil
}

type decapsulation[E any] interface {
	Decapsulate([]byte) ([]byte, error)
	EncapsulationKey() E
	Bytes() []byte
}

type encapsulation interface {
	Encapsulate() (secret, ciphertext []byte)
	Bytes() []byte
}

func mlKem[E encapsulation, D decapsulation[E]](name string, generate func() (D, error), load func([]byte) (D, error),
	loadPublic func([]byte) (E, error), exact func(E, []byte) ([]byte, []byte, error)) offer {
	return offer{"kem " + name + " encodings=seed coins=keygen,operation", map[string]ready{
		"keygen": func(in [][]byte) (operation, error) {
			if err := inputs(in, 0, 1, ""); err != nil {
				return operation{}, err
			}
			make := generate
			if seed := optional(in, 0); seed != nil {
				make = func() (D, error) { return load(seed) }
			}
			var key D
			return operation{func() (err error) { key, err = make(); return },
				func() [][]byte { return [][]byte{key.EncapsulationKey().Bytes(), key.Bytes()} }}, nil
		},
		"encapsulate": func(in [][]byte) (operation, error) {
			if err := inputs(in, 1, 2, ""); err != nil {
				return operation{}, err
			}
			key, err := loadPublic(in[0])
			if err != nil {
				return operation{}, err
			}
			var secret, ciphertext []byte
			run := func() error { secret, ciphertext = key.Encapsulate(); return nil }
			if coins := optional(in, 1); coins != nil {
				run = func() (err error) { secret, ciphertext, err = exact(key, coins); return }
			}
			return operation{run, func() [][]byte { return [][]byte{ciphertext, secret} }}, nil
		},
		"decapsulate": func(in [][]byte) (operation, error) {
			if err := inputs(in, 3, 3, "seed"); err != nil {
				return operation{}, err
			}
			key, err := load(in[1])
			if err != nil {
				return operation{}, err
			}
			ciphertext := in[2]
			var secret []byte
			return operation{func() (err error) { secret, err = key.Decapsulate(ciphertext); return }, one(&secret)}, nil
		},
	}}
}

// Offers a CIRCL signature scheme. The caller passes `signer`, because the schemes sign with
// randomness in different ways.
func circl(scheme sign.Scheme, encoding, attributes string, generate func() (sign.PublicKey, sign.PrivateKey, error),
	signer func(key sign.PrivateKey, message, context []byte) ([]byte, error)) offer {
	seeded := encoding == "seed"
	load := func(bytes []byte) (sign.PrivateKey, error) {
		if !seeded {
			return scheme.UnmarshalBinaryPrivateKey(bytes)
		}
		if err := length("a seed", bytes, scheme.SeedSize()); err != nil {
			return nil, err
		}
		_, key := scheme.DeriveKey(bytes)
		return key, nil
	}
	return offer{"signature " + scheme.Name() + " " + attributes, map[string]ready{
		"keygen": func(in [][]byte) (operation, error) {
			if err := inputs(in, 0, 1, ""); err != nil {
				return operation{}, err
			}
			seed := optional(in, 0)
			if seed != nil && !seeded {
				return operation{}, unsupported("seeds are not supported")
			}
			var public sign.PublicKey
			var private sign.PrivateKey
			run := func() (err error) { public, private, err = generate(); return }
			if seed != nil {
				if err := length("a seed", seed, scheme.SeedSize()); err != nil {
					return operation{}, err
				}
				run = func() error { public, private = scheme.DeriveKey(seed); return nil }
			}
			return operation{run, func() [][]byte {
				verifying, _ := public.MarshalBinary()
				signing, _ := private.MarshalBinary()
				if seeded {
					signing = private.(sign.Seeded).Seed()
				}
				return [][]byte{verifying, signing}
			}}, nil
		},
		"sign": func(in [][]byte) (operation, error) {
			if err := inputs(in, 3, 4, encoding); err != nil {
				return operation{}, err
			}
			key, err := load(in[1])
			if err != nil {
				return operation{}, err
			}
			message, context := in[2], optional(in, 3)
			var signature []byte
			return operation{func() (err error) { signature, err = signer(key, message, context); return },
				one(&signature)}, nil
		},
		"verify": verify(func(key []byte) (func(message, signature, context []byte) bool, error) {
			public, err := scheme.UnmarshalBinaryPublicKey(key)
			return func(message, signature, context []byte) bool {
				return scheme.Verify(public, message, signature, &sign.SignatureOpts{Context: string(context)})
			}, err
		}, true),
	}}
}

func verify(load func(key []byte) (func(message, signature, context []byte) bool, error), contexts bool) ready {
	return func(in [][]byte) (operation, error) {
		if err := inputs(in, 3, 4, ""); err != nil {
			return operation{}, err
		}
		check, err := load(in[0])
		if err != nil {
			return operation{}, err
		}
		message, signature, context := in[1], in[2], optional(in, 3)
		if context != nil && !contexts {
			return operation{}, unsupported("contexts are not supported")
		}
		valid := false
		return operation{func() error { valid = check(message, signature, context); return nil }, func() [][]byte {
			if valid {
				return [][]byte{[]byte("1")}
			}
			return [][]byte{[]byte("0")}
		}}, nil
	}
}

func mlDsa[K any](scheme sign.Scheme, signTo func(key K, message, context []byte, signature []byte) error) offer {
	return circl(scheme, "seed", "encodings=seed coins=keygen context=yes hedged=yes", scheme.GenerateKey,
		func(key sign.PrivateKey, message, context []byte) ([]byte, error) {
			signature := make([]byte, scheme.SignatureSize())
			return signature, signTo(key.(K), message, context, signature)
		})
}

func slhDsa(name string) offer {
	id, err := slhdsa.IDByName(name)
	if err != nil {
		panic(err)
	}
	return circl(id.Scheme(), "expanded", "encodings=expanded context=yes hedged=yes", id.Scheme().GenerateKey,
		func(key sign.PrivateKey, message, context []byte) ([]byte, error) {
			private := key.(slhdsa.PrivateKey)
			return slhdsa.SignRandomized(&private, rand.Reader, slhdsa.NewMessage(message), context)
		})
}

var ed = offer{"signature Ed25519 encodings=seed coins=keygen", map[string]ready{
	"keygen": func(in [][]byte) (operation, error) {
		if err := inputs(in, 0, 1, ""); err != nil {
			return operation{}, err
		}
		var key ed25519.PrivateKey
		run := func() (err error) { _, key, err = ed25519.GenerateKey(nil); return }
		if seed := optional(in, 0); seed != nil {
			if err := length("a seed", seed, ed25519.SeedSize); err != nil {
				return operation{}, err
			}
			run = func() error { key = ed25519.NewKeyFromSeed(seed); return nil }
		}
		return operation{run, func() [][]byte { return [][]byte{key.Public().(ed25519.PublicKey), key.Seed()} }}, nil
	},
	"sign": func(in [][]byte) (operation, error) {
		if err := inputs(in, 3, 3, "seed"); err != nil {
			return operation{}, err
		}
		if err := length("a seed", in[1], ed25519.SeedSize); err != nil {
			return operation{}, err
		}
		key, message := ed25519.NewKeyFromSeed(in[1]), in[2]
		var signature []byte
		return operation{func() error { signature = ed25519.Sign(key, message); return nil }, one(&signature)}, nil
	},
	"verify": verify(func(key []byte) (func(message, signature, context []byte) bool, error) {
		return func(message, signature, _ []byte) bool {
			return ed25519.Verify(key, message, signature)
		}, length("a verifying key", key, ed25519.PublicKeySize)
	}, false),
}}

// ECDSA. A signature is `r || s`, each 32 bytes long.
var p256 = offer{"signature ECDSA-P-256 encodings=scalar coins=keygen hedged=yes", map[string]ready{
	"keygen": func(in [][]byte) (operation, error) {
		if err := inputs(in, 0, 1, ""); err != nil {
			return operation{}, err
		}
		var key *ecdsa.PrivateKey
		run := func() (err error) { key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); return }
		if seed := optional(in, 0); seed != nil {
			run = func() (err error) { key, err = ecdsa.ParseRawPrivateKey(elliptic.P256(), seed); return }
		}
		return operation{run, func() [][]byte {
			public, _ := key.PublicKey.Bytes()
			private, _ := key.Bytes()
			return [][]byte{public, private}
		}}, nil
	},
	"sign": func(in [][]byte) (operation, error) {
		if err := inputs(in, 3, 3, "scalar"); err != nil {
			return operation{}, err
		}
		key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), in[1])
		if err != nil {
			return operation{}, err
		}
		message := in[2]
		var r, s *big.Int
		return operation{func() (err error) {
			digest := sha256.Sum256(message)
			r, s, err = ecdsa.Sign(rand.Reader, key, digest[:])
			return
		}, func() [][]byte {
			signature := make([]byte, 64)
			r.FillBytes(signature[:32])
			s.FillBytes(signature[32:])
			return [][]byte{signature}
		}}, nil
	},
	"verify": verify(func(key []byte) (func(message, signature, context []byte) bool, error) {
		public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), key)
		return func(message, signature, _ []byte) bool {
			if len(signature) != 64 {
				return false
			}
			digest := sha256.Sum256(message)
			r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
			return ecdsa.Verify(public, digest[:], r, s)
		}, err
	}, false),
}}

// Returns a function that creates an X25519 private key, from the given bytes or with the library's randomness. The
// function also returns the public key, because the standard library computes it only on request.
func scalar(given []byte) func() (*ecdh.PrivateKey, []byte, error) {
	return func() (*ecdh.PrivateKey, []byte, error) {
		make := func() (*ecdh.PrivateKey, error) { return ecdh.X25519().GenerateKey(rand.Reader) }
		if given != nil {
			make = func() (*ecdh.PrivateKey, error) { return ecdh.X25519().NewPrivateKey(given) }
		}
		key, err := make()
		if err != nil {
			return nil, nil, err
		}
		return key, key.PublicKey().Bytes(), nil
	}
}

var x25519 = offer{"kem X25519 encodings=scalar coins=keygen,operation", map[string]ready{
	"keygen": func(in [][]byte) (operation, error) {
		if err := inputs(in, 0, 1, ""); err != nil {
			return operation{}, err
		}
		make := scalar(optional(in, 0))
		var key *ecdh.PrivateKey
		var public []byte
		return operation{func() (err error) { key, public, err = make(); return },
			func() [][]byte { return [][]byte{public, key.Bytes()} }}, nil
	},
	"encapsulate": func(in [][]byte) (operation, error) {
		if err := inputs(in, 1, 2, ""); err != nil {
			return operation{}, err
		}
		peer, err := ecdh.X25519().NewPublicKey(in[0])
		if err != nil {
			return operation{}, err
		}
		make := scalar(optional(in, 1))
		var ciphertext, secret []byte
		return operation{func() error {
			key, public, err := make()
			if err == nil {
				ciphertext = public
				secret, err = key.ECDH(peer)
			}
			return err
		}, func() [][]byte { return [][]byte{ciphertext, secret} }}, nil
	},
	"decapsulate": func(in [][]byte) (operation, error) {
		if err := inputs(in, 3, 3, "scalar"); err != nil {
			return operation{}, err
		}
		key, err := ecdh.X25519().NewPrivateKey(in[1])
		if err != nil {
			return operation{}, err
		}
		if err := length("a ciphertext", in[2], 32); err != nil {
			return operation{}, err
		}
		ciphertext := in[2]
		var secret []byte
		return operation{func() error {
			peer, err := ecdh.X25519().NewPublicKey(ciphertext)
			if err == nil {
				secret, err = key.ECDH(peer)
			}
			return err
		}, one(&secret)}, nil
	},
}}

func digest[D any](name string, sum func([]byte) D, bytes func(*D) []byte) offer {
	return offer{"hash " + name, map[string]ready{"digest": func(in [][]byte) (operation, error) {
		if err := inputs(in, 1, 1, ""); err != nil {
			return operation{}, err
		}
		message := in[0]
		var result D
		return operation{func() error { result = sum(message); return nil },
			func() [][]byte { return [][]byte{bytes(&result)} }}, nil
	}}}
}

// ML-DSA of the standard library. Empty if the program was built with a Go that lacks it.
var standardMlDsa []offer

// Offers of this process, chosen by its arguments.
var offers []offer

// Returns the offers that the arguments select: `standard` selects the standard library alone.
func choose(arguments []string) ([]offer, error) {
	switch {
	case len(arguments) == 0:
		return append(standardOffers(), circlOffers()...), nil
	case len(arguments) > 1 || arguments[0] != "standard":
		return nil, fmt.Errorf("invalid arguments %q: expected none, or `standard`", arguments)
	case len(standardMlDsa) == 0:
		return nil, errors.New("`standard` requires a program built with Go 1.27 or newer, not " + runtime.Version())
	}
	return append(standardOffers(), standardMlDsa...), nil
}

func standardOffers() []offer {
	return []offer{
		mlKem("ML-KEM-768", mlkem.GenerateKey768, mlkem.NewDecapsulationKey768, mlkem.NewEncapsulationKey768, mlkemtest.Encapsulate768),
		mlKem("ML-KEM-1024", mlkem.GenerateKey1024, mlkem.NewDecapsulationKey1024, mlkem.NewEncapsulationKey1024, mlkemtest.Encapsulate1024),
		ed, p256, x25519,
		digest("SHA3-224", sha3.Sum224, func(d *[28]byte) []byte { return d[:] }),
		digest("SHA3-256", sha3.Sum256, func(d *[32]byte) []byte { return d[:] }),
		digest("SHA3-384", sha3.Sum384, func(d *[48]byte) []byte { return d[:] }),
		digest("SHA3-512", sha3.Sum512, func(d *[64]byte) []byte { return d[:] }),
		digest("SHA-256", sha256.Sum256, func(d *[32]byte) []byte { return d[:] }),
		digest("SHA-512", sha512.Sum512, func(d *[64]byte) []byte { return d[:] }),
	}
}

func circlOffers() []offer {
	all := []offer{
		mlDsa(mldsa44.Scheme(), func(key *mldsa44.PrivateKey, message, context, out []byte) error {
			return mldsa44.SignTo(key, message, context, true, out)
		}),
		mlDsa(mldsa65.Scheme(), func(key *mldsa65.PrivateKey, message, context, out []byte) error {
			return mldsa65.SignTo(key, message, context, true, out)
		}),
		mlDsa(mldsa87.Scheme(), func(key *mldsa87.PrivateKey, message, context, out []byte) error {
			return mldsa87.SignTo(key, message, context, true, out)
		}),
	}
	for _, name := range []string{"SLH-DSA-SHA2-128s", "SLH-DSA-SHAKE-128s", "SLH-DSA-SHA2-128f", "SLH-DSA-SHAKE-128f"} {
		all = append(all, slhDsa(name))
	}
	return all
}

// Finds an operation by its name and by the name of the algorithm.
func find(operation, algorithm string) (ready, error) {
	if operation == "null" && algorithm == "null" {
		return null["null"], nil
	}
	for _, offer := range offers {
		if strings.Fields(offer.text)[1] == algorithm {
			if ready, ok := offer.operations[operation]; ok {
				return ready, nil
			}
		}
	}
	return nil, unsupported(algorithm + " " + operation + " is not offered")
}
