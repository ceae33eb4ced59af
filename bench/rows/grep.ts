/** Search through many small files, compared with reading them with the same concurrency and ignoring the content. */
import { quantile } from "../../test/drill/random.ts";
import type { BenchFiles, Contender } from "../contenders/contender.ts";
import { nowMs } from "../clock.ts";
import type { Section } from "./section.ts";
import { untilQuiet } from "./until-quiet.ts";

const FILES = 1_000;
const FILE_BYTES = 10_240;
/** One file in so many holds what is searched for. */
const HIT_EVERY = 100;
const SEARCHES = 7;
const LINE = "  const total = sum(prices) + shipping; // one more line of a file\n";
const NEEDLE = "needle 42\n";

export const GREP: Section = {
  name: "grep",
  rows: [
    {
      key: "grep",
      label: `grep over ${FILES} files of 10 KB, beside reading them, ms (p50)`,
      digits: 0,
      target: "≤ 1.5 ×",
      mustTimes: 1.5,
    },
  ],
  async measure(stage, note) {
    for (const contender of stage.contenders) {
      if (contender.files === null) continue;
      await fill(contender, contender.files);
      await untilQuiet(contender);
      const times: number[] = [];
      for (let search = 0; search <= SEARCHES; search += 1) {
        const startedAt = nowMs();
        const found = await contender.files.search("^need[l]e \\d+$");
        // The first one meets what was not read before.
        if (search > 0) times.push(nowMs() - startedAt);
        if (found !== FILES / HIT_EVERY && found !== FILES) throw new Error(`${contender.name} found ${found}`);
      }
      note("grep", contender.name, quantile(times, 0.5));
      await untilQuiet(contender);
    }
  },
};

/** Those that have the files of this run. */
const filled = new WeakSet<Contender>();

async function fill(contender: Contender, files: BenchFiles): Promise<void> {
  if (filled.has(contender)) return;
  filled.add(contender);
  const plain = LINE.repeat(Math.ceil(FILE_BYTES / LINE.length)).slice(0, FILE_BYTES);
  const texts = Array.from({ length: FILES }, (_, index) => {
    // No two are equal, as equal ones would be stored once.
    const text = `${index}\n${plain}`.slice(0, FILE_BYTES - NEEDLE.length - 1);
    return [`d${index % 10}/f${index}.txt`, index % HIT_EVERY === 0 ? `${text}\n${NEEDLE}` : `${text}\n`] as const;
  });
  for (let at = 0; at < texts.length; at += 20) {
    await Promise.all(texts.slice(at, at + 20).map(([path, text]) => files.put(path, text)));
  }
}
