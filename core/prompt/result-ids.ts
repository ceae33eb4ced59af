/**
 * Encodes the ids of many results in one line, and decodes it: ids of one task share their start, and those of a step
 * are a run.
 */

/** The longest line. If not all ids fit, the newest stay. */
const MAX_LINE = 3_000;
const MAX_RUN = 1_000;
const BEGINNING = "[Results of these steps: ";
const END = "]";

/** Writes the line; null without ids. Preserves the order. */
export function writeResultIds(ids: readonly string[]): string | null {
  if (ids.length === 0) return null;
  for (let from = 0; ; from += Math.ceil((ids.length - from) / 4)) {
    const line = `${BEGINNING}${formatGroups(ids.slice(from)).join("; ")}${END}`;
    if (line.length <= MAX_LINE || from >= ids.length) return line;
  }
}

/** Returns the ids of a line; none for another line. */
export function readResultIds(line: string): string[] {
  if (!line.startsWith(BEGINNING) || !line.endsWith(END)) return [];
  const groups = line.slice(BEGINNING.length, -END.length).split("; ");
  return groups.flatMap((group) => {
    const [, beginning, rest = ""] = /^(call_[0-9a-z]+_) and then (.*)$/.exec(group) ?? [];
    if (beginning === undefined) return group === "" ? [] : [group];
    return rest.split(", ").flatMap((run) => parseRun(beginning, run));
  });
}

function parseRun(beginning: string, run: string): string[] {
  const [, step, first, last = first] = /^(\d+)_(\d+)(?: to \d+_(\d+))?$/.exec(run) ?? [];
  const count = Math.min(Number(last) - Number(first) + 1, MAX_RUN);
  return step === undefined ? [] : Array.from({ length: count }, (_, i) => `${beginning}${step}_${Number(first) + i}`);
}

function formatGroups(ids: readonly string[]): string[] {
  const groups: { beginning: string; runs: { step: string; first: number; last: number }[] }[] = [];
  const whole: string[] = [];
  for (const id of ids) {
    const [, beginning, step, index] = /^(call_[0-9a-z]+_)(\d{1,6})_(\d{1,6})$/.exec(id) ?? [];
    if (beginning === undefined || step === undefined) {
      whole.push(id);
      continue;
    }
    const at = Number(index);
    let group = groups.find((known) => known.beginning === beginning);
    if (group === undefined) groups.push((group = { beginning, runs: [] }));
    const run = group.runs.at(-1);
    if (run?.step === step && run.last === at - 1 && at - run.first < MAX_RUN) run.last = at;
    else group.runs.push({ step, first: at, last: at });
  }
  const written = groups.map(({ beginning, runs }) => {
    const texts = runs.map(({ step, first, last }) =>
      first === last ? `${step}_${first}` : `${step}_${first} to ${step}_${last}`,
    );
    return `${beginning} and then ${texts.join(", ")}`;
  });
  return [...written, ...whole];
}
