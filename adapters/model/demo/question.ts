/** Turns "which city I live in" into "Which city do you live in?". */
import { getOwn } from "../../../core/base/own-field.ts";

const AUXILIARIES = "am|was|can|could|will|would|should|must|may|might|shall";
const WH = "which|what|where|when|who|whom|whose|how|why";

/** The question that somebody wants asked, put to the person it is for. */
export function toQuestion(wanted: string): string {
  const text = wanted.replace(/^[:,\s]+/, "").replace(/[\s.?!:,]+$/, "");
  if (text === "") return "What would you like to tell me?";
  const about = /^about\s+(.+)$/i.exec(text);
  if (about !== null) return `What can you tell me about ${swap(about[1] ?? "")}?`;
  const thing = /^for\s+((?:my|the|a|an)\s+.+)$/i.exec(text);
  if (thing !== null) return `What is ${swap((thing[1] ?? "").replace(/^an?\s+/i, "the "))}?`;
  if (
    /\b(?:do|does|did|are|is|were|was|can|could|will|would|should|have|has)\s+(?:you|your|it|there|the)\b/i.test(text)
  ) {
    return sentence(text);
  }
  const whether = /^(?:if|whether)\s+I\s+(.+)$/i.exec(text);
  if (whether !== null) return sentence(invert(whether[1] ?? ""));
  const isMine = new RegExp(`^(${WH})\\s+((?:my|the|our)\\s+.+?)\\s+(is|are|was|were)$`, "i").exec(text);
  if (isMine !== null) return sentence(`${isMine[1]} ${isMine[3]} ${swap(isMine[2] ?? "")}`);
  const whatIDo = new RegExp(`^((?:${WH})\\b.*?)\\s+I(?:'m\\s+|\\s+)(.+)$`, "i").exec(text);
  if (whatIDo !== null) {
    const verb = /\sI'm\s/i.test(text) ? `am ${whatIDo[2]}` : (whatIDo[2] ?? "");
    return sentence(`${swap(whatIDo[1] ?? "")} ${invert(verb)}`);
  }
  if (new RegExp(`^(?:${WH})\\b`, "i").test(text)) return sentence(swap(text));
  return `Please tell me: ${swap(text.replace(/^to\s+/i, ""))}`;
}

/** "live in" → "do you live in"; "am going" → "are you going". The subject was "I". */
function invert(predicate: string): string {
  const auxiliary = new RegExp(`^(${AUXILIARIES})\\b\\s*(.*)$`, "i").exec(predicate);
  if (auxiliary === null) return `do you ${swap(predicate)}`;
  const verb = (auxiliary[1] ?? "").toLowerCase();
  const told = verb === "am" ? "are" : verb === "was" ? "were" : verb;
  return `${told} you ${swap(auxiliary[2] ?? "")}`.trimEnd();
}

const SWAPS: Readonly<Record<string, string>> = {
  i: "you",
  me: "you",
  my: "your",
  mine: "yours",
  myself: "yourself",
  am: "are",
  we: "you",
  our: "your",
  us: "you",
};

/** From the one who speaks to the one who is spoken to. */
function swap(text: string): string {
  return text.replaceAll(
    /\b(I|me|my|mine|myself|am|we|our|us)\b/gi,
    (word) => getOwn(SWAPS, word.toLowerCase()) ?? word,
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}?`;
}
