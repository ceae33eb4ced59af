/** What became of a due moment, in plain words. */
import type { Occurrence } from "../../api/types.generated.ts";
import type { Tone } from "../../ui/badge.tsx";
import { momentInWords } from "./rhythm.ts";

type State = Occurrence["state"];

export const STATES: Readonly<Record<State, { readonly word: string; readonly tone: Tone }>> = {
  starting: { word: "Starting", tone: "info" },
  queued: { word: "Queued", tone: "info" },
  fired: { word: "Running", tone: "info" },
  finished: { word: "Done", tone: "good" },
  failed: { word: "Failed", tone: "danger" },
  skipped: { word: "Skipped", tone: "plain" },
  coalesced: { word: "Merged into a later run", tone: "plain" },
};

/** Whether something may still become of it. */
export function isOpen({ state }: Pick<Occurrence, "state">): boolean {
  return state === "starting" || state === "queued" || state === "fired";
}

/** A reason of the ledger, with the run that it names as people name it. */
export function whyInWords(why: string, zone: string): string {
  const words = why
    .replace(/the run of run\/\w+/g, "a run by hand")
    .replace(/the run of (\d{4}-\d\d-\d\dT[\d:.]+Z)/g, (_, at: string) => `the run of ${momentInWords(at, zone)}`);
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
