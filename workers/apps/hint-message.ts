/** The note after a message to a task with apps. A message never waits long for it, and is sent without it if it cannot be made. */
import { systemClock } from "../../adapters/env/clock.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import type { TaskStub } from "../../adapters/env/tasks.ts";
import { hintMessage } from "../../core/apps/choice/message-hint.ts";
import { ok, type Result } from "../../core/base/errors.ts";
import { awaitUnlessAborted } from "../../core/base/deadline.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { findSourceApp, type PinnedSource } from "../../core/tool/source.ts";
import { mayCall, pinApps, selectUses } from "./choose-apps.ts";

/** How long a message waits for its note. */
const MAX_MS = 1_000;

/** Returns the note for the words of a person; empty without one. */
export async function writeMessageHint(env: Env, stub: Pick<TaskStub, "facts">, words: string): Promise<string> {
  if (words.trim() === "") return "";
  try {
    const made = await awaitUnlessAborted(AbortSignal.timeout(MAX_MS), attempt(env, stub, words), null);
    return made?.ok === true ? made.value : "";
  } catch {
    // The task's object is reset just now. The message is sent to it next, and reports that.
    return "";
  }
}

/** True if a tenant with these sources has apps. Without any, a message asks for no note. */
export function hasApps(sources: readonly Pick<PinnedSource, "name">[]): boolean {
  return sources.some(({ name }) => findSourceApp(name) !== null);
}

async function attempt(env: Env, stub: Pick<TaskStub, "facts">, words: string): Promise<Result<string>> {
  const facts = await stub.facts();
  if (!facts.ok) return facts;
  return facts.value.apps === undefined ? ok("") : await makeHint(env, facts.value, facts.value.apps.shown, words);
}

async function makeHint(env: Env, facts: TaskFacts, shown: readonly string[], words: string): Promise<Result<string>> {
  const { tenant, agent, via, actsFor, caller, tools } = facts;
  const user = { tenant, agent, via, person: actsFor?.person ?? null };
  const pins = await pinApps(env, user, facts.sources);
  if (!pins.ok || pins.value.apps === null) return pins.ok ? ok("") : pins;
  const { actions, uses, rights } = pins.value.apps;
  return await hintMessage(
    {
      texts: [words],
      writtenAt: { now: Date.now(), timeZone: caller?.timeZone },
      usable: selectUses(uses, "usable"),
      unconnected: selectUses(uses, "unconnected"),
      mayCall: (tool) => mayCall(tool, { agent, tools, apps: {} }, rights),
      shown,
    },
    { actions, patterns: patternsFromEnv(env), clock: systemClock },
  );
}
