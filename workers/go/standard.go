//go:build go1.27

package main

// ML-DSA of the standard library, which Go 1.27 added.

import "crypto/mldsa"

func init() {
	for _, parameters := range []mldsa.Parameters{mldsa.MLDSA44(), mldsa.MLDSA65(), mldsa.MLDSA87()} {
		standardMlDsa = append(standardMlDsa, mlDsaOffer(parameters))
	}
}

func mlDsaOffer(parameters mldsa.Parameters) offer {
	attributes := " encodings=seed coins=keygen context=yes hedged=yes"
	return offer{"signature " + parameters.String() + attributes, map[string]ready{
		"keygen": func(in [][]byte) (operation, error) {
			if err := inputs(in, 0, 1, ""); err != nil {
				return operation{}, err
			}
			make := func() (*mldsa.PrivateKey, error) { return mldsa.GenerateKey(parameters) }
			if seed := optional(in, 0); seed != nil {
				make = func() (*mldsa.PrivateKey, error) { return mldsa.NewPrivateKey(parameters, seed) }
			}
			var key *mldsa.PrivateKey
			return operation{func() (err error) { key, err = make(); return },
				func() [][]byte { return [][]byte{key.PublicKey().Bytes(), key.Bytes()} }}, nil
		},
		"sign": func(in [][]byte) (operation, error) {
			if err := inputs(in, 3, 4, "seed"); err != nil {
				return operation{}, err
			}
			key, err := mldsa.NewPrivateKey(parameters, in[1])
			if err != nil {
				return operation{}, err
			}
			message, options := in[2], &mldsa.Options{Context: string(optional(in, 3))}
			var signature []byte
			return operation{func() (err error) { signature, err = key.Sign(nil, message, options); return },
				one(&signature)}, nil
		},
		"verify": verify(func(key []byte) (func(message, signature, context []byte) bool, error) {
			public, err := mldsa.NewPublicKey(parameters, key)
			return func(message, signature, context []byte) bool {
				return mldsa.Verify(public, message, signature, &mldsa.Options{Context: string(context)}) == nil
			}, err
		}, true),
	}}
}
