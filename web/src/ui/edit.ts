/** Changing something that has versions: what is typed lives on over errors, and nobody's change is saved over unseen. */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toApiError } from "../api/problem.ts";
import { useDraft } from "./draft.ts";
import type { Faults } from "./faults.ts";

interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** A thing with the tag of its version. */
export interface Tagged<Thing> {
  readonly body: Thing;
  readonly etag: string | null;
}

/** The header under which a change is made only to the version that it began with. */
type IfMatch = { readonly "if-match"?: string };

interface EditOptions<Thing extends Versioned, Draft, Sent> {
  /** Names the drafts of such things, as "person". */
  readonly kind: string;
  /** The thing as it was read last. */
  readonly now: Tagged<Thing>;
  readonly draftOf: (thing: Thing) => Draft;
  /** What is sent; or what has to be mended first. */
  readonly read: (
    draft: Draft,
  ) => { readonly ok: true; readonly value: Sent } | { readonly ok: false; readonly faults: Faults };
  readonly put: (sent: Sent, header: IfMatch) => Promise<Tagged<Thing>>;
  /** Says that it is done, and has read again what shows it. */
  readonly onSaved: (thing: Thing) => Promise<void>;
  /** Leads away from the form, unless there is more to save in it. */
  readonly leave?: (thing: Thing) => Promise<void>;
  /** What is read again when somebody else was faster. */
  readonly queryKey: QueryKey;
  /** Input that is not part of the draft and never stored, such as a secret. */
  readonly unkept?: { readonly isTyped: boolean; readonly forget: () => void };
  /** Whether two drafts mean the same; they do when they are written the same. */
  readonly isSame?: (one: Draft, other: Draft) => boolean;
}

/** What is being saved. */
interface Sending<Draft, Sent> {
  readonly value: Sent;
  /** The tag of the version that it is made to; null: of whichever there is. */
  readonly match: string | null;
  /** The draft that it was read from. */
  readonly written: Draft;
}

/** A change under way. */
export interface Edit<Draft> {
  /** What stood in the form before anything was typed. */
  readonly start: Draft;
  /** The version that it is made to. */
  readonly version: number;
  readonly draft: Draft;
  readonly faults: Faults;
  readonly isChanged: boolean;
  readonly isBusy: boolean;
  /** Somebody else changed it since the form began. */
  readonly isOvertaken: boolean;
  /** Why saving failed; null without a refusal. */
  readonly error: unknown;
  readonly change: (part: Partial<Draft>) => void;
  readonly undo: () => void;
  /** False: something has to be mended first. */
  readonly save: () => boolean;
  /** Saves what was typed over what somebody else set. */
  readonly saveOver: () => void;
  /** Starts over from the other person's version. */
  readonly seeNewer: () => void;
}

export function useEdit<Thing extends Versioned, Draft extends object, Sent>({
  kind,
  now,
  draftOf,
  read,
  put,
  onSaved,
  leave,
  queryKey,
  unkept,
  isSame = isWrittenTheSame,
}: EditOptions<Thing, Draft, Sent>): Edit<Draft> {
  const queries = useQueryClient();
  // The version that the form began with: another may be made while one types.
  const [began, setBegan] = useState(now);
  const first = draftOf(began.body);
  const [typed, setTyped, forget] = useDraft(`${kind} ${now.body.id} ${began.body.version}`, first);
  const [faults, setFaults] = useState<Faults>({});
  /** Starts over from a version. Stores nothing until the first change. */
  const begin = (next: Tagged<Thing>, draft: Draft): void => {
    setBegan(next);
    setTyped(draft);
    forget();
    setFaults({});
  };
  const saving = useMutation({
    mutationFn: async ({ value, match }: Sending<Draft, Sent>) =>
      await put(value, match === null ? {} : { "if-match": match }),
    onSuccess: async (saved, { written }) => {
      // What was typed while it was under way is the next change.
      const isMore = !isSame(typed, written);
      begin(saved, isMore ? typed : draftOf(saved.body));
      unkept?.forget();
      await onSaved(saved.body);
      if (!isMore) await leave?.(saved.body);
    },
    onError: async (thrown) => {
      if (toApiError(thrown).status === 409) await queries.invalidateQueries({ queryKey });
    },
  });
  const isNewer = now.body.version > began.body.version && !saving.isPending;
  // Another version need not be another setting: what differs elsewhere takes nothing from what one types.
  const isOther = isNewer && !isSame(draftOf(now.body), first);
  const isChanged = !isSame(typed, first) || unkept?.isTyped === true;
  // As long as nothing is typed, the form shows what was read last.
  const base = isOther && !isChanged ? now : began;
  const start = base === began ? first : draftOf(base.body);
  const draft = isChanged ? typed : start;
  const send = (match: string | null): boolean => {
    const given = read(draft);
    setFaults(given.ok ? {} : given.faults);
    if (given.ok && !saving.isPending) saving.mutate({ value: given.value, match, written: typed });
    return given.ok;
  };
  return {
    start,
    version: base.body.version,
    draft,
    faults: { ...(saving.isError ? toApiError(saving.error).fields : {}), ...faults },
    isChanged,
    isBusy: saving.isPending,
    isOvertaken: isOther && isChanged,
    error: saving.error,
    change: (part) => {
      const next = { ...draft, ...part };
      if (base === began) setTyped(next);
      else begin(base, next);
      setFaults({});
    },
    undo: () => {
      begin(base, start);
      unkept?.forget();
    },
    save: () => send(isNewer && !isOther ? now.etag : base.etag),
    saveOver: () => void send(now.etag),
    seeNewer: () => {
      saving.reset();
      begin(now, draftOf(now.body));
      unkept?.forget();
    },
  };
}

function isWrittenTheSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
