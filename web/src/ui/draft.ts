/** What somebody is typing: it outlives a reload, another page, and an error. Gone with the tab, or when the session is another's. */
import { useCallback, useState } from "react";
import { queryClient } from "../api/query-client.ts";
import { sessionQuery } from "../api/session.ts";

const PREFIX = "otto.draft";

/**
 * State under a name. `name` is unique in the console, such as `answer qst_1`; `start` stands until something else was set.
 * `forget` removes what is kept: call it when the draft was sent.
 */
export function useDraft<Value>(
  name: string,
  start: Value,
): readonly [value: Value, set: (next: Value) => void, forget: () => void] {
  const [value, setValue] = useState<Value>(() => readDraft<Value>(name) ?? start);
  const nothing = JSON.stringify(start);
  const set = useCallback(
    (next: Value) => {
      setValue(next);
      const text = JSON.stringify(next);
      if (text === nothing) removeDraft(name);
      else writeDraft(name, text);
    },
    [name, nothing],
  );
  const forget = useCallback(() => removeDraft(name), [name]);
  return [value, set, forget];
}

export function hasDraft(name: string): boolean {
  return readDraft(name) !== null;
}

/** Owner of the last session: a person may keep typing after its end. */
let owner = "";

/** A draft is read only in a session of the one who wrote it. */
function toStorageKey(name: string): string {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  if (session != null) owner = `${session.tenant.id} ${session.key.id}`;
  return `${PREFIX} ${owner} ${name}`;
}

function readDraft<Value>(name: string): Value | null {
  try {
    const text = sessionStorage.getItem(toStorageKey(name));
    return text === null ? null : (JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

function writeDraft(name: string, text: string): void {
  try {
    sessionStorage.setItem(toStorageKey(name), text);
  } catch {
    // Storage is full or switched off: the draft lives as long as its page.
  }
}

function removeDraft(name: string): void {
  try {
    sessionStorage.removeItem(toStorageKey(name));
  } catch {
    // Storage is switched off: nothing is kept.
  }
}
