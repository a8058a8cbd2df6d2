"""A server on loopback that says hello to every request, as fast as Python can: ``python -m benchmarks.hello_server``.

Prints its port. A request for ``/close`` is the last one of its connection.
"""

from __future__ import annotations

import asyncio

KEPT = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
LAST = KEPT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            last = b" /close " in head[:64]
            writer.write(LAST if last else KEPT)
            await writer.drain()
            if last:
                break
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
