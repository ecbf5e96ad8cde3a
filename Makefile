# Every target makes what it needs: a virtual environment in .venv and what belongs in it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# CI installs what requirements-ci.txt pins and repeats a failed test, which the summary lists.
LOCKED := $(if $(CI),--constraint requirements-ci.txt)
# What `make quick` runs: all of the core, the bots and the table but their long games.
QUICK := tests/rules $(wildcard $(patsubst %,tests/test_%*.py,chance edition fair record table bots think view)) \
	-k 'not thousand and not whole_matches and not many_worlds'
REPEATED := $(if $(CI),--reruns 2 --reruns-delay 1)
GAMES ?= 2000
WORLDS ?= 100000
CRASHES ?= 200
ROUNDS ?= 20
TABLES ?= 500
# What the browser client is made of: an install builds it anew when it has changed.
WEB := $(shell find web -type f -not -path '*/node_modules/*') src/penultima/locale/en.json \
	src/penultima/locale/es.json src/penultima/locale/ru.json hatch_build.py
FRAMES ?= 100000
DEALS ?= 1000000
RACES ?= 1000
IMAGES ?= 2000
.DEFAULT_GOAL := help

help: ## what can be made
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

play: $(VENV)/played ## play in the terminal
	@$(BIN)/penultima play

serve: $(VENV)/played ## play in the browser, with friends and bots
	@$(BIN)/penultima

test: $(VENV)/ready chromium ## all tests
	$(BIN)/pytest -n auto $(REPEATED)

quick: $(VENV)/ready ## the tests of the core, the bots and the table, in under a minute
	$(BIN)/pytest -n auto $(QUICK)

check: lint types imports test ## what CI passes: lint, format, types, imports, tests

lint: $(VENV)/ready ## lint and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

lock: $(VENV)/ready ## pin what CI installs to what is installed here
	$(BIN)/python -m pip freeze --exclude-editable --exclude pip > requirements-ci.txt

types: $(VENV)/ready ## types
	$(BIN)/mypy
	$(BIN)/python hatch_build.py check

imports: $(VENV)/ready ## the import contract
	$(BIN)/lint-imports

soak: $(VENV)/ready ## core against reference: make soak GAMES=100000
	$(BIN)/python -m tests.lockstep --games $(GAMES)

worlds: $(VENV)/ready ## simulated tables, some 25 minutes: make worlds WORLDS=10000
	$(BIN)/python -m tests.worlds --worlds $(WORLDS)

wire: $(VENV)/ready ## the types of the browser client, made of the server's structs
	$(BIN)/python -m penultima.server.schema > web/src/net/wire.ts

crash-hunt: $(VENV)/ready ## a server killed at random while people play: make crash-hunt CRASHES=1000
	$(BIN)/python -m tests.server.crashes --runs $(CRASHES)

process-hunt: $(VENV)/ready ## processes on one database killed and frozen: make process-hunt ROUNDS=100
	$(BIN)/python -m tests.server.processes --rounds $(ROUNDS)

power-loss: $(VENV)/ready ## power failures at any write of a server: make power-loss IMAGES=10000
	$(BIN)/python -m tests.server.power --images $(IMAGES)

races: $(VENV)/ready ## who is slowest, on lines of 10 to 250 ms: make races RACES=1000
	$(BIN)/python -m tests.server.races --races $(RACES)

hostile: $(VENV)/ready ## hostile frames and requests at a real server: make hostile FRAMES=1000000
	$(BIN)/python -m tests.server.hostile --frames $(FRAMES)

shuffle-check: $(VENV)/ready ## statistics of a million deals: make shuffle-check DEALS=1000000
	$(BIN)/python -m tests.shuffles --deals $(DEALS)

audit: $(VENV)/ready ## known holes in what we depend on
	$(BIN)/pip-audit --skip-editable
	@if [ -f web/package-lock.json ]; then cd web && npm audit; fi

golden: $(VENV)/ready ## write the golden perft numbers anew, where core and reference agree
	$(BIN)/python -m tests.golden

docs: $(VENV)/ready ## write the generated pages anew
	for lang in en es ru; do $(BIN)/penultima rules --all --lang $$lang > docs/rules/$$lang.md; done
	$(BIN)/python -m penultima.envs --write docs/environments.md
	$(BIN)/python -m penultima.cli.manual docs/penultima.1

screens-terminal: $(VENV)/ready ## pictures of the terminal client for the docs
	TEXTUAL_COLOR_SYSTEM=truecolor $(BIN)/python -m tests.terminal_screens

bench: $(VENV)/ready .venv-peers/ready ## speed, as ratios against peers in the same run
	$(BIN)/python -m benchmarks.peers --peers .venv-peers/bin/python

bench-rlcard: .venv-peers/ready ## how our bots fare at RLCard's table: make bench-rlcard GAMES=1000
	.venv-peers/bin/python -m benchmarks.bots_rlcard --games $(GAMES) --rollouts 2000

bench-bots: $(VENV)/ready ## strength of the bots
	$(BIN)/python -m benchmarks.bots

bench-server: $(VENV)/ready .bench-boardgameio/ready ## the server against boardgame.io (needs node and npm)
	$(BIN)/python -m benchmarks.server --boardgameio .bench-boardgameio

load: $(VENV)/ready ## 500 tables of four clients at a server, durable: make load TABLES=100
	$(BIN)/python -m benchmarks.load --tables $(TABLES)

bench-idle: $(VENV)/ready ## 10,000 connections on which nothing happens, and a player beside them
	$(BIN)/python -m benchmarks.idle

deploy-check: $(VENV)/ready ## nginx, PostgreSQL and two servers, killed while people play (needs nginx)
	$(BIN)/python -m tests.server.proxied

image: ## a container image named penultima (needs podman or docker)
	@if command -v podman > /dev/null; then podman build --format docker --tag penultima .; \
	elif command -v docker > /dev/null; then docker build --file Containerfile --tag penultima .; \
	else echo "podman or docker is needed: apt install podman" >&2; exit 1; fi

bench-compile: $(VENV)/ready ## how long the first start compiles, and a later one takes
	$(BIN)/python -m benchmarks.compiling

bench-attacks: $(VENV)/ready ## an honest player's moves while strangers attack, against without
	$(BIN)/python -m benchmarks.attacks

bench-routes: $(VENV)/ready ## what each request and command costs the thread that all share
	$(BIN)/python -m benchmarks.routes

bench-restart: $(VENV)/ready ## how long 500 tables take to play on after a restart
	$(BIN)/python -m benchmarks.restart

bench-interpreted: $(VENV)/ready ## speed of the interpreted core
	$(BIN)/python -m benchmarks.interpreted

bench-web: $(VENV)/ready chromium ## the browser client: weight, first load, frames, layout shift
	$(BIN)/python -m benchmarks.web
	$(BIN)/python -m benchmarks.offline

screens-web: $(VENV)/ready chromium ## every screen, on a phone and wide, in every language: docs/screens/web/
	$(BIN)/python -m benchmarks.screens

bench-startup: $(VENV)/ready ## seconds to the first screen in a terminal
	$(BIN)/python -m benchmarks.startup

bench-gpu: $(VENV)/ready ## is the GPU's game the same, and how fast (needs an NVIDIA GPU)
	$(BIN)/python -m benchmarks.gpu all

bench-rlcard-rules: .venv-peers/ready ## where RLCard's UNO departs from the rules
	.venv-peers/bin/python -m benchmarks.rlcard_rules

bench-envs: .venv-peers/ready ## environments for learning, against PettingZoo's own
	.venv-peers/bin/python -m benchmarks.envs

learn: .venv-learn/ready ## both examples of learning, with their curves (torch; minutes)
	.venv-learn/bin/python examples/ppo.py --save ppo.pt --curve docs/learning/ppo.svg
	.venv-learn/bin/python examples/maskable_ppo.py --save maskable_ppo.zip --curve docs/learning/maskable_ppo.svg

format: $(VENV)/ready ## format and mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what was made
	rm -rf $(VENV) web/node_modules src/penultima/web .venv-peers .venv-learn .bench-boardgameio build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip uninstall --quiet --yes setuptools # Python 3.11 brings one with known holes

# A browser for the tests: PENULTIMA_CHROMIUM, the system's, or one that is installed here.
chromium: $(VENV)/ready
	@$(BIN)/python -m tests.web.chromium

$(VENV)/played: $(BIN)/python pyproject.toml $(WEB)
	$(BIN)/python -m pip install --quiet --editable '.[fast]'
	@touch $@

$(VENV)/ready: $(BIN)/python pyproject.toml $(WEB)
	$(BIN)/python -m pip install --quiet $(LOCKED) --editable '.[fast,envs]' --group dev
	@touch $@ $(VENV)/played

.venv-learn/ready: pyproject.toml
	$(PYTHON) -m venv .venv-learn
	.venv-learn/bin/python -m pip install --quiet --upgrade pip
	.venv-learn/bin/python -m pip install --quiet --editable '.[envs]' --group learn
	@touch $@

.venv-peers/ready: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet rlcard==1.2.0 open_spiel pygame-ce chess --editable '.[fast,envs]'
	@touch $@

.bench-boardgameio/ready: $(wildcard benchmarks/boardgameio/*)
	mkdir -p .bench-boardgameio
	cp benchmarks/boardgameio/* .bench-boardgameio/
	cd .bench-boardgameio && npm install --no-audit --no-fund
	@touch $@


.PHONY: chromium $(shell sed -n 's/^\([a-z-]*\):.*\#\#.*/\1/p' Makefile)
