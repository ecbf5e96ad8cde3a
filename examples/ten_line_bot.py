"""A bot of one's own at a server: python examples/ten_line_bot.py http://127.0.0.1:8765 abc234"""

import asyncio
import sys

from penultima.client import Client


async def main(address: str, code: str) -> None:
    client = await Client.connect(address)
    async with client.sit(code, name="Ten Lines") as table:
        async for view in table.decisions():
            if view.turn == table.seat:
                cards = [action for action in view.legal if action not in ("draw", "keep", "call")]
                await table.act(max(cards or view.legal, key=len))  # long names are strong cards


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
