/** What became of what came in, in plain words. */
import type { ReceivedItem } from "../api/types.generated.ts";
import type { Tone } from "../ui/badge.tsx";

type Wording = Readonly<Record<ReceivedItem["state"], { readonly word: string; readonly tone: Tone }>>;

export const RECEIVED: Wording = {
  waiting: { word: "Waiting", tone: "info" },
  done: { word: "Taken", tone: "good" },
  repeat: { word: "Repeat", tone: "plain" },
  refused: { word: "Not taken", tone: "plain" },
  dead: { word: "Given up", tone: "danger" },
};
