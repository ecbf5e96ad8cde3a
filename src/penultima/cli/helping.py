"""`penultima help` and `penultima completion`."""

import argparse

from penultima.cli import completion


class Help:
    name = "help"
    examples = """  penultima help
  penultima help simulate"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("about", nargs="?", metavar="COMMAND", help="cli.option.about_command")

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli.commands import parser_of  # which knows this command too
        from penultima.cli.parser import speaking

        with speaking(options.lang):
            parser, parsers = parser_of(options.lang)
            if options.about is None:
                parser.print_help()
            elif options.about in parsers:
                parsers[options.about].print_help()
            else:
                parser.parse_args([options.about])
        return 0


class Completion:
    name = "completion"
    examples = """  penultima completion bash > ~/.local/share/bash-completion/completions/penultima
  penultima completion zsh > ~/.zfunc/_penultima
  penultima completion fish > ~/.config/fish/completions/penultima.fish"""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "shell", metavar="SHELL", choices=tuple(completion.SHELLS), help="cli.option.shell"
        )

    def run(self, options: argparse.Namespace) -> int:
        from penultima.cli.commands import parser_of

        print(completion.SHELLS[options.shell](*parser_of(options.lang)), end="")
        return 0
