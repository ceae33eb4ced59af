/** Questions about the project's own decisions, which are never edited: documents as people write them, of one subject. */

/** The number of a decision, and two questions that it answers: one near its words, one in other words. */
export type DecisionQuestions = readonly [number: number, near: string, reworded: string];

/** Searched are the decisions up to this one. */
export const LAST_DECISION = 175;

/** For tuning. */
export const ASKED_OF_TUNED_DECISIONS: readonly DecisionQuestions[] = [
  [1, "Why are install scripts ignored by npm?", "How does the project get the right version of its runtime?"],
  [9, "When are subtasks made in a step?", "Do the tokens of a child count for the one that started it?"],
  [17, "wrong value in --secrets-file", "What happens if I pass command line switches to the deployment wrongly?"],
  [25, "Why not @cfworker/json-schema?", "Which versions of the validation standard do we understand?"],
  [
    33,
    "How long does an MCP process live without a request?",
    "How many local tool servers may a customer run at once?",
  ],
  [41, "worker-mailer SMTP session", "Can we tell if an e-mail really left after a connection broke?"],
  [
    49,
    "cookie of the browser that gives a consent",
    "How is somebody kept from tricking an administrator into authorizing a foreign tenant?",
  ],
  [
    57,
    "estimating the work of a pattern by RE2's grammar",
    "How is an expensive regular expression stopped before it runs?",
  ],
  [65, "Which label does an uploaded file have?", "How do we track that a tool's output was influenced by strangers?"],
  [
    73,
    "attach_file stores the SHA-256",
    "Is the old or the new version mailed when a document was changed after it was added to the answer?",
  ],
  [81, "at most 16 calls in a run", "How do we stay under Cloudflare's invocation limit?"],
  [
    89,
    "row of a deleted schedule comes back from a backup",
    "Could something I removed fire again after restoring old data?",
  ],
  [97, "Sturm's theorem counts the roots", "How precise are solutions of equations?"],
  [109, "core tools inside the envelope and find_tools", "How did we make the instructions to the model smaller?"],
  [117, "stale entry for 60 s", "How long may cached settings be out of date?"],
  [125, "rows that a search miss reads in the index of tasks", "Why was listing jobs slow with a large database?"],
  [133, "R2 operations priced as class A", "How do we calculate what running the platform costs per month?"],
  [141, "state.actors and facts.actsFor", "Whose permissions apply if several people write in the same conversation?"],
  [149, "Which keys may call GET /v1/apps?", "How does somebody see what they can sign in to on the website?"],
  [
    157,
    "account at the provider is pending before the browser is sent away",
    "Why is a sign-in checked several times within a few seconds?",
  ],
  [165, "830 KiB of gzip for the bundle", "How big may the program be when it boots?"],
];

/** Held out from tuning. */
export const ASKED_OF_HELD_OUT_DECISIONS: readonly DecisionQuestions[] = [
  [5, "How is the secret of an API key derived?", "What happens to the credentials of a customer who was wiped?"],
  [13, "cost of a commit of an object's SQLite", "How expensive is it to save something to disk?"],
  [21, "MCP revisions and the handshake", "Can a remote tool server ask the user something in the middle of a call?"],
  [29, "memory limit of pandoc", "Why do we not use a library for spreadsheets?"],
  [
    37,
    "webhook signature after a rotation of the secret",
    "How long does an old signing key keep working for receivers?",
  ],
  [45, "feed.skipped when a reader is slow", "How does an open page learn that jobs changed?"],
  [53, "When does a tenant count as active?", "Does a customer with no work slow others down?"],
  [61, "For how long does Resend remember an idempotency key?", "Why were some mails delivered twice?"],
  [69, "approval of a call that names files", "Must I confirm again if the contents of an attachment were altered?"],
  [77, "OTTO_SECRET_KEY is lost but secrets are stored", "What does the start do when the data folder is broken?"],
  [85, "task answers 410 gone", "What do users see if the storage of a job disappeared?"],
  [93, "report.md that Slack turned into a link", "Why is something with a dot not always treated as a web address?"],
  [101, "openapi-typescript compared with our generator", "How do we produce the types of the interface description?"],
  [
    113,
    "scripts without a declaration in a skill",
    "Two uploads with the same name from different authors: what then?",
  ],
  [
    121,
    "a task that waits for its model takes no slot",
    "Do jobs block each other during long answers of the language model?",
  ],
  [
    129,
    "What stays on the runner in the model phase?",
    "Is a request to the language model repeated after we ship a new release?",
  ],
  [137, "AbortSignal.timeout keeps an object in memory", "Why did idle instances stay loaded for forty seconds?"],
  [145, "{{connection}} in templates", "How do we prevent a login token from being sent to another server?"],
  [
    153,
    "effect and level of an action from hints and words of its name",
    "How does the system decide if something from the marketplace is dangerous?",
  ],
  [161, "flow_account_until and the sweep", "What becomes of a login that somebody never finished?"],
  [169, "pages of 40 logos after a sync", "Where do the pictures of the integrations come from?"],
];
