/** A small office's memories, and questions with the memories that answer them: to see what the boost and the cut-off do. */

export interface LabelledMemory {
  readonly name: string;
  readonly content: string;
  readonly tags: readonly string[];
}

export const MEMORIES: readonly LabelledMemory[] = [
  { name: "db", content: "The customer database runs on Postgres 17 in Frankfurt.", tags: ["database", "infra"] },
  { name: "backup", content: "Backups are taken every night at 02:30 and kept for thirty days.", tags: ["database"] },
  { name: "deploy", content: "Releases go out on Tuesday mornings after the tests are green.", tags: ["deploy"] },
  {
    name: "rollback",
    content: "To undo a release, run the rollback job and tell the on-call engineer.",
    tags: ["deploy"],
  },
  { name: "oncall", content: "Mara is on call in odd weeks, Jonas in even weeks.", tags: ["people", "incident"] },
  {
    name: "incident",
    content: "On 4 March the login page was down for forty minutes: a certificate had expired.",
    tags: ["incident"],
  },
  { name: "cert", content: "Certificates are renewed by hand in February and August.", tags: ["infra"] },
  {
    name: "invoice",
    content: "Invoices are sent on the first working day and are due in fourteen days.",
    tags: ["finance"],
  },
  {
    name: "vat",
    content: "Swiss customers are billed without VAT; their number has to be on the invoice.",
    tags: ["finance", "tax"],
  },
  { name: "discount", content: "Schools get thirty percent off, universities ten.", tags: ["pricing"] },
  { name: "price", content: "The team plan costs 49 euros a month, the single plan nine.", tags: ["pricing"] },
  {
    name: "report",
    content: "Ana wants the weekly report as a table, in English, by Friday noon.",
    tags: ["preference", "Ana"],
  },
  { name: "tone", content: "Letters to customers are friendly and short, and never say sorry twice.", tags: ["style"] },
  {
    name: "logo",
    content: "The logo may stand on white or dark blue, never on a photograph.",
    tags: ["style", "design"],
  },
  { name: "font", content: "Headlines are set in Inter, running text in Source Serif.", tags: ["design"] },
  { name: "travel", content: "Train tickets are booked by Petra, at least two weeks ahead.", tags: ["travel"] },
  { name: "hotel", content: "Hotels may cost up to 120 euros a night, 160 in Zurich.", tags: ["travel", "finance"] },
  { name: "holiday", content: "The office is closed between Christmas and New Year.", tags: ["people"] },
  { name: "room", content: "The large meeting room is booked every Wednesday from ten to twelve.", tags: ["meeting"] },
  { name: "standup", content: "The daily meeting is at 9:15 and takes ten minutes at most.", tags: ["meeting"] },
  {
    name: "supplier",
    content: "Paper and toner come from Blatt & Sohn; orders go to orders@blatt.example.",
    tags: ["supplier"],
  },
  { name: "coffee", content: "The coffee machine is cleaned on Mondays by the first person in.", tags: [] },
  {
    name: "parking",
    content: "Visitors park behind the house; the code of the gate is asked at the desk.",
    tags: ["visitors"],
  },
  { name: "language", content: "Support answers in German, English and French.", tags: ["style", "support"] },
];

export const QUESTIONS: readonly { readonly query: string; readonly answers: readonly string[] }[] = [
  { query: "which database do we use for customers", answers: ["db"] },
  { query: "how long are backups of the database kept", answers: ["backup", "db"] },
  { query: "when do releases go out", answers: ["deploy"] },
  { query: "deploy went wrong, how do I undo a release", answers: ["rollback", "deploy"] },
  { query: "who is on call this week", answers: ["oncall"] },
  { query: "incident with the login page", answers: ["incident", "oncall"] },
  { query: "renewing certificates", answers: ["cert", "incident"] },
  { query: "when are invoices due", answers: ["invoice"] },
  { query: "tax on invoices for Switzerland", answers: ["vat", "invoice"] },
  { query: "pricing for schools and teams", answers: ["discount", "price"] },
  { query: "what does Ana want in her report", answers: ["report"] },
  { query: "style of letters to a customer", answers: ["tone", "language"] },
  { query: "design rules for the logo", answers: ["logo", "font"] },
  { query: "travel: booking a train ticket", answers: ["travel"] },
  { query: "how much may a hotel in Zurich cost", answers: ["hotel"] },
  { query: "is the office open at Christmas", answers: ["holiday"] },
  { query: "meeting on Wednesday", answers: ["room", "standup"] },
  { query: "where do we order toner", answers: ["supplier"] },
  { query: "cleaning the coffee machine", answers: ["coffee"] },
  { query: "recipe for potato soup", answers: [] },
  { query: "the capital of Mongolia", answers: [] },
];
