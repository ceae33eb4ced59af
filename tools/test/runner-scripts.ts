/**
 * How each runner is started in the cage. A script writes the runner's report to stdout and its other output to
 * stderr, and exits with the runner's status. `$@` is the path that was asked for, if one was.
 */
import type { RunnerName } from "./find-runner.ts";

/** What a script says, with exit code 127, when its runner is not there. */
export const NO_RUNNER = "no such test runner";
/** Of a report that is text: its end says how many tests there were. */
const MAX_TEXT_BYTES = 1_000_000;

/** Reports of JUnit's XML as one in JSON: of pytest, which has no other that programs can read, or of node. */
const JUNIT_TO_JSON = `
import json, sys, xml.etree.ElementTree as tree
cases = []
for case in (case for file in sys.argv[2:] for case in tree.parse(file).getroot().iter("testcase")):
    status, message = "passed", ""
    for child in case:
        if child.tag in ("failure", "error"):
            status, message = "failed", (child.get("message") or "") + "\\n" + (child.text or "")
        elif child.tag == "skipped" and status == "passed":
            status = "skipped"
    group = case.get("classname") if sys.argv[1] == "pytest" else None
    name = "::".join(part for part in (group, case.get("name")) if part)
    cases.append({"name": name, "file": case.get("file"), "status": status, "message": message.strip()})
print(json.dumps({"cases": cases}))
`;

const text = (command: string) =>
  `${command} >"$TMPDIR/report" 2>&1; code=$?; tail -c ${MAX_TEXT_BYTES} "$TMPDIR/report"; exit $code`;
const needs = (program: string) => `command -v ${program} >/dev/null 2>&1 || { echo "${NO_RUNNER}"; exit 127; }; `;

/** Writes JUnit's XML of each run of node's own runner to a file of its own: `npm test` may start several. */
const NODE_REPORTER = `
import { writeFileSync } from "node:fs";
import { junit } from "node:test/reporters";
export default async function* report(source) {
  let text = "";
  for await (const part of junit(source)) text += part;
  writeFileSync(process.env.TMPDIR + "/report-" + process.pid + ".xml", text);
}
`;
/** Makes node's own runner use it too, also below npm. Programs that run no tests ignore it. */
const NODE_REPORT = `printf '%s' '${NODE_REPORTER}' >"$TMPDIR/report.mjs"
    export NODE_OPTIONS="$NODE_OPTIONS --test-reporter=spec --test-reporter-destination=stdout --test-reporter=$TMPDIR/report.mjs --test-reporter-destination=/dev/null";`;
/** The reports of node's own runner if it wrote any, else the end of the text. */
const READ_NODE_REPORT = `set -- "$TMPDIR"/report-*.xml
    if [ -s "$1" ] && python3 -c '${JUNIT_TO_JSON}' node "$@"; then
      tail -c 20000 "$TMPDIR/text" >&2; else tail -c ${MAX_TEXT_BYTES} "$TMPDIR/text"; fi`;

const SCRIPTS: Readonly<Record<RunnerName, string>> = {
  vitest: `if [ -f node_modules/vitest/vitest.mjs ]; then set -- node node_modules/vitest/vitest.mjs run "$@"
    elif command -v vitest >/dev/null 2>&1; then set -- vitest run "$@"
    else echo "${NO_RUNNER}"; exit 127; fi
    "$@" --reporter=json --outputFile="$TMPDIR/report" >&2; code=$?; cat "$TMPDIR/report"; exit $code`,
  npm: `${needs("npm")}${NODE_REPORT} npm test --silent -- "$@" >"$TMPDIR/text" 2>&1; code=$?
    ${READ_NODE_REPORT}; exit $code`,
  node: `${needs("node")}${NODE_REPORT} node --test "$@" >"$TMPDIR/text" 2>&1; code=$?
    ${READ_NODE_REPORT}; exit $code`,
  pytest: `python3 -c "import pytest" >/dev/null 2>&1 || { echo "${NO_RUNNER}"; exit 127; }
    python3 -m pytest -q -p no:cacheprovider -o junit_family=xunit1 --junitxml="$TMPDIR/report" "$@" >&2; code=$?
    [ -f "$TMPDIR/report" ] && python3 -c '${JUNIT_TO_JSON}' pytest "$TMPDIR/report"; exit $code`,
  mix: needs("mix") + text('mix test "$@"'),
  go: `${needs("go")}go test -json "$@" >"$TMPDIR/report"; code=$?; tail -c ${MAX_TEXT_BYTES * 4} "$TMPDIR/report"; exit $code`,
  cargo: needs("cargo") + text('cargo test --offline --no-fail-fast "$@"'),
};

/** What runs a project's tests; `path` is relative to the project. */
export function runnerArgv(runner: RunnerName, path: string | null): [string, ...string[]] {
  const given = runner === "go" ? goPackage(path) : path;
  return ["/bin/sh", "-c", SCRIPTS[runner], "sh", ...(given === null ? [] : [given])];
}

/** Go takes packages, which are directories; all of them unless one is named. */
function goPackage(path: string | null): string {
  if (path === null) return "./...";
  const directory = path.endsWith(".go") ? path.slice(0, Math.max(path.lastIndexOf("/"), 0)) : path;
  return directory.startsWith("./") ? directory : `./${directory}`;
}
