/** The phrases that no text of the product uses: habits of speech, and screen words that a plainer word replaced. */
import type { SourceFile } from "./source-tree.ts";

/** Habits of speech that a reader has to translate. */
const HABITS = `
anew
beside the
beside it
whoever
whatever it
so many as
so long as
as many as there are
stands here
stands in
stands below
stands behind
stands outside
holds here
holds everywhere
holds no longer
task is over
it is over
goes on
went on
there is none
is none
none of which
for good
in vain
at all events
by itself
to be told
is told
hears of
what is there
gave way
nobody in particular
`;

/** Words of earlier screens. `docs/glossary.md` has the words of today. */
const SCREENS = `
make the agent
make the schedule
make the key
make the webhook
make the limit
a fresh link
it was not saved
it was not made
it was not deleted
it was not looked at
it was not taken away
the agents were not read
reaching Otto
no task fits
nothing fits
no tool fits
there is no such thing
this is over
what became of it
what came of it
the usual one
as usual:
take it away
it begins with otto_
the start printed it
is not valid here
only as a whole
what is to be done
start the task
has a question
waits for subtasks
show subtasks as well
made now
more about it
is delivered at the end
when what ran
draw long waits short
dearest first
the model thinks
being written
the task asks
for anybody
no time limit
may it use
tell me on the desktop
policy asks about
did it happen
it was done
make it again
leave it
it is never due
reckoning when
by the clocks of
leave out what was missed
make up for it
make up for every one
if an earlier one is still at work
begin up to so many minutes later
at work
waits its turn
left to a later one
models in its place
hosts that recognise a repeat
when nobody knows whether
least score of a memory
what a tag adds
dollars of a task
what it takes
what it gives
how dangerous
this is no skill
its bytes are others
show the present one
it lists others again
believe what it says
never called twice
way in
ways in
no program is told
called off
let everything go on
in all
those whom agents can ask
their word
the parts of this Otto
what agents think with
Otto is ending
Otto has ended
Ctrl-C ends it
`;

/** Between two words: spaces, or the end of a line and the mark that continues a comment or a quote. */
const GAP = String.raw`(?:[ \t]+|[ \t]*\n[ \t]*(?:(?:\*|//|#|--|>)[ \t]+)?)`;

const CHOICES = `${HABITS}${SCREENS}`
  .split("\n")
  .filter((phrase) => phrase !== "")
  .map((phrase) => phrase.replaceAll(" ", GAP))
  .join("|");

/** Matches each phrase as whole words, in any case, and across the lines of a comment. */
const REFUSED_PHRASES = new RegExp(String.raw`(?<![\w-])(?:${CHOICES})(?![\w-])`, "gi");

/** Matches single words that say nothing as the whole text of a button, a heading or a badge. */
const REFUSED_LABELS = /(?<=["'`>]\s*)(?:Again|Asked|Over|Kept|Shown|Beside|Stands|Holds|needed)(?=\s*["'`<])/g;

/** Folders and files whose wording is done. Add a folder here once its last refused phrase is gone. */
const DONE = [
  ".github/",
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "adapters/",
  "bench/",
  "core/agents/",
  "core/base/",
  "core/channels/",
  "core/codebases/",
  "core/custom-tools/",
  "core/databases/",
  "core/documents/",
  "core/gateway/",
  "core/knowledge/",
  "core/lib/",
  "core/mcp/",
  "core/memory/",
  "core/model/",
  "core/openapi/",
  "core/people/",
  "core/ports/",
  "core/prompt/",
  "core/provenance/",
  "core/sandbox/",
  "core/schedules/",
  "core/secrets/",
  "core/skills/",
  "core/ssh/",
  "core/steps/",
  "core/sweep/",
  "core/task/",
  "core/tenant/",
  "core/tool/",
  "core/web/",
  "docs/",
  "durable-objects/",
  "scripts/",
  "sidecar/",
  "skills/",
  "test/",
  "tools/",
  "web/",
  "workers/",
];

/** Decisions are dated and never edited: those of earlier days keep their words. */
const FIRST_CHECKED_DAY = "2026-11-27";
/** The last decision whose head names no day. */
const LAST_UNDATED_DECISION = 71;

/** Whether the wording of a file is checked. A glossary quotes the words that it replaces; a generator's output has its input's words. */
function isWordingChecked({ path, text }: SourceFile): boolean {
  if (!DONE.some((done) => path === done || (done.endsWith("/") && path.startsWith(done)))) return false;
  if (path === "docs/glossary.md" || path.endsWith(".generated.ts")) return false;
  const number = /^docs\/decisions\/(\d{4})/.exec(path)?.[1];
  if (number === undefined) return true;
  const date = /\b\d{4}-\d\d-\d\d\b/.exec(text.slice(0, 200))?.[0];
  return date === undefined ? Number(number) > LAST_UNDATED_DECISION : date >= FIRST_CHECKED_DAY;
}

/** Finds the refused phrases of a file, and in the console the refused labels. */
export function findRefusedPhrases(file: SourceFile): RegExpExecArray[] {
  if (!isWordingChecked(file)) return [];
  const phrases = [...file.text.matchAll(REFUSED_PHRASES)].filter(
    ([phrase]) => !(file.path.endsWith(".py") && phrase === "is None"),
  );
  return file.path.startsWith("web/") ? [...phrases, ...file.text.matchAll(REFUSED_LABELS)] : phrases;
}
