"""A QUIC server or client with aioquic, for tests of interoperability.

    peer.py server KEY CERTIFICATE...    prints the port, and answers requests until the standard input closes
    peer.py client PORT NAME             connects, sends a request and checks the answer

Files are DER. The client does not verify certificates.
"""

import asyncio
import ssl
import sys
from pathlib import Path

from aioquic.asyncio import connect, serve
from aioquic.quic.configuration import QuicConfiguration
from cryptography import x509
from cryptography.hazmat.primitives import serialization

PROTOCOLS = ["h3"]
REQUEST = b"GET / HTTP/1.1\r\nHost: server.example\r\n\r\n"
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    assert await reader.readexactly(len(REQUEST)) == REQUEST
    writer.write(ANSWER)


async def server(key: str, *certificates: str) -> None:
    configuration = QuicConfiguration(is_client=False, alpn_protocols=PROTOCOLS)
    chain = [x509.load_der_x509_certificate(Path(path).read_bytes()) for path in certificates]
    configuration.certificate, configuration.certificate_chain = chain[0], chain[1:]
    configuration.private_key = serialization.load_der_private_key(Path(key).read_bytes(), None)
    tasks = []
    started = await serve(
        "127.0.0.1",
        0,
        configuration=configuration,
        stream_handler=lambda reader, writer: tasks.append(asyncio.ensure_future(answer(reader, writer))),
    )
    assert started._transport is not None
    print(started._transport.get_extra_info("sockname")[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def client(port: str, name: str) -> None:
    configuration = QuicConfiguration(alpn_protocols=PROTOCOLS, server_name=name, verify_mode=ssl.CERT_NONE)
    async with connect("127.0.0.1", int(port), configuration=configuration) as connection:
        reader, writer = await connection.create_stream()
        writer.write(REQUEST)
        assert await reader.readexactly(len(ANSWER)) == ANSWER


asyncio.run({"server": server, "client": client}[sys.argv[1]](*sys.argv[2:]))
