/** The kinds of callers, in plain words. */
import type { IncomingDraft, IncomingType } from "./incoming-draft.ts";

export const TYPES: Readonly<Record<IncomingType, { readonly word: string; readonly signs: string }>> = {
  generic: {
    word: "Any program",
    signs: "It signs the body in a header, with HMAC-SHA-256.",
  },
  github: { word: "GitHub", signs: "GitHub signs by the secret that you give it." },
  stripe: { word: "Stripe", signs: "Stripe makes the secret itself, and shows it once it knows the address." },
  standard: {
    word: "Standard Webhooks",
    signs: "The id, the moment and the body are signed, so that a copied call is worth nothing.",
  },
};

/** What each choice about equal bodies means. */
export const ONCE_PER_BODY_HINTS: Readonly<Record<IncomingDraft["oncePerBody"], string>> = {
  "": "The signature covers the body alone, so a copied call could be sent again under another id.",
  yes: "Within 30 days. A copied call cannot be sent again.",
  no: "For nightly calls and alerts whose body is always the same. A copied call can be sent again.",
};

/** How long a replaced secret stays valid. */
export const OLD_SECRET_CHOICES = [
  { seconds: "86400", word: "counts for another day" },
  { seconds: "604800", word: "counts for another week" },
  { seconds: "3600", word: "counts for another hour" },
  { seconds: "0", word: "ends at once" },
];

/** What may stand in a prompt for what comes in. */
export const FILLED_IN = [
  { field: "{{payload}}", says: "all that came" },
  { field: "{{order.id}}", says: "a field of it; dots lead further in" },
  { field: "{{headers.user-agent}}", says: "a header of the call; none that may hold a credential or a signature" },
];
