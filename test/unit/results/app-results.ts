/** Results of ten apps, in the shapes and sizes in which their APIs answer. */

/** Text of a given length that reads like prose. */
function prose(words: number, from = 0): string {
  const stock =
    "the order of the north office came late and the team in Lisbon asked for a new date before the end of the month".split(
      " ",
    );
  return Array.from({ length: words }, (_, at) => stock[(at + from) % stock.length]).join(" ");
}

const count = <Item>(length: number, make: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => make(at));
const day = (at: number) => `2026-11-${String((at % 28) + 1).padStart(2, "0")}`;
const PEOPLE = ["Ana Sousa", "Ben Okafor", "Chloé Martin", "Dai Nakamura"];
const person = (at: number) => PEOPLE[at % PEOPLE.length] ?? "";
const address = (at: number) => `${person(at).split(" ")[0]?.toLowerCase()}@example.com`;

const mailList = {
  successful: true,
  error: null,
  log_id: "log_7f21",
  data: {
    messages: count(15, (at) => ({
      messageId: `19a${at}f3c`,
      threadId: `19a${at % 4}f00`,
      sender: `${person(at)} <${address(at)}>`,
      to: "orders@example.com",
      subject: `Order ${1200 + at}: delivery`,
      messageTimestamp: `${day(at)}T08:15:00Z`,
      labelIds: ["INBOX", "UNREAD"],
      messageText: prose(120, at),
      attachmentList: at === 0 ? [{ filename: "order.pdf", mimeType: "application/pdf", size: 48_213 }] : [],
      payload: { partId: "", headers: [{ name: "Received", value: prose(40) }] },
    })),
    nextPageToken: "0412",
    resultSizeEstimate: 214,
  },
};

/** One message as Gmail's API has it: the subject is a header. */
const oneMail = {
  id: "19a0f3c",
  threadId: "19a0f00",
  labelIds: ["INBOX"],
  snippet: prose(20),
  internalDate: "1764316800000",
  sizeEstimate: 9_120,
  payload: {
    mimeType: "multipart/alternative",
    headers: [
      { name: "Received", value: `by 10.0.0.1 ${prose(300)}` },
      { name: "From", value: "Ana Sousa <ana@example.com>" },
      { name: "To", value: "orders@example.com" },
      { name: "Subject", value: "Order 1200: delivery" },
      { name: "DKIM-Signature", value: "v=1; a=rsa-sha256; ".repeat(60) },
    ],
    parts: [{ mimeType: "text/plain", body: { size: 812, data: "T3JkZXI".repeat(200) } }],
  },
};

/** Issues as GitHub's REST API lists them: most of each is addresses of the API. */
const issues = count(30, (at) => ({
  url: `https://api.github.example/repos/acme/shop/issues/${400 - at}`,
  labels_url: `https://api.github.example/repos/acme/shop/issues/${400 - at}/labels{/name}`,
  comments_url: `https://api.github.example/repos/acme/shop/issues/${400 - at}/comments`,
  html_url: `https://github.example/acme/shop/issues/${400 - at}`,
  id: 3_000_000 + at,
  node_id: `I_kwDOA${at}`,
  number: 400 - at,
  title: `Checkout fails for ${prose(4, at)}`,
  user: {
    login: address(at).split("@")[0],
    id: at,
    avatar_url: "https://avatars.example/u/1",
    type: "User",
    site_admin: false,
  },
  labels: [{ id: 1, name: "bug", color: "d73a4a", default: true }],
  state: at % 3 === 0 ? "closed" : "open",
  assignee: at % 2 === 0 ? { login: "ben", id: 2 } : null,
  comments: at,
  created_at: `${day(at)}T10:00:00Z`,
  body: prose(60, at),
  reactions: { url: "https://api.github.example/reactions", total_count: 0, "+1": 0 },
}));

const calendar = {
  kind: "calendar#events",
  summary: "Team",
  timeZone: "Europe/Lisbon",
  items: count(12, (at) => ({
    kind: "calendar#event",
    id: `evt${at}`,
    status: "confirmed",
    htmlLink: `https://calendar.example/event?eid=evt${at}`,
    summary: `Review of the ${prose(2, at)}`,
    description: prose(70, at),
    location: at % 2 === 0 ? "Room 4" : "https://meet.example/abc",
    start: { dateTime: `${day(at)}T14:00:00Z`, timeZone: "Europe/Lisbon" },
    end: { dateTime: `${day(at)}T15:00:00Z`, timeZone: "Europe/Lisbon" },
    attendees: count(3, (who) => ({
      email: address(at + who),
      displayName: person(at + who),
      responseStatus: "accepted",
    })),
    reminders: { useDefault: true },
  })),
};

const chat = {
  ok: true,
  messages: count(40, (at) => ({
    type: "message",
    user: `U0${at % 4}AB`,
    text: prose(25, at),
    ts: `17643${16_800 + at * 60}.000100`,
    team: "T01",
    blocks: [{ type: "rich_text", elements: [{ type: "text", text: prose(25, at) }] }],
  })),
  has_more: true,
  response_metadata: { next_cursor: "bmV4dA==" },
};

const files = {
  files: count(25, (at) => ({
    kind: "drive#file",
    id: `1xYz${at}`,
    name: at % 3 === 0 ? `Report ${at}.pdf` : `Plan ${at}`,
    mimeType: at % 3 === 0 ? "application/pdf" : "application/vnd.google-apps.document",
    ...(at % 3 === 0 ? { size: String(10_000 + at * 977) } : {}),
    modifiedTime: `${day(at)}T09:30:00Z`,
    webViewLink: `https://drive.example/file/d/1xYz${at}/view`,
    iconLink: "https://drive.example/icons/16/pdf.png",
    owners: [{ displayName: person(at), emailAddress: address(at), permissionId: "0" }],
    capabilities: { canEdit: true, canCopy: true, canShare: false, canDownload: true },
  })),
  nextPageToken: "~!!~",
};

const sheet = {
  spreadsheetId: "1AbC",
  valueRanges: [
    {
      range: "Orders!A1:E41",
      majorDimension: "ROWS",
      values: [
        ["Order", "Customer", "City", "Amount", "Paid"],
        ...count(40, (at) => [String(1200 + at), person(at), "Lisbon", (49.5 + at).toFixed(2), at % 2 === 0]),
      ],
    },
  ],
};

const search = {
  query: "late delivery rights",
  results: count(10, (at) => ({
    title: `Your rights: ${prose(5, at)}`,
    url: `https://news.example/articles/${at}`,
    content: prose(90, at),
    score: 0.98 - at / 50,
    raw_content: null,
  })),
  response_time: 1.2,
};

const commits = count(20, (at) => ({
  sha: `${(at * 7_919).toString(16).padStart(8, "0")}c0ffee`,
  node_id: `C_kwDOA${at}`,
  commit: {
    author: { name: person(at), email: address(at), date: `${day(at)}T11:00:00Z` },
    message: `shop: ${prose(8, at)}`,
    tree: { sha: "a1b2", url: "https://api.github.example/trees/a1b2" },
    verification: { verified: true, reason: "valid", signature: "x".repeat(300) },
  },
  html_url: `https://github.example/acme/shop/commit/${at}`,
  comments_url: `https://api.github.example/commits/${at}/comments`,
  author: { login: address(at).split("@")[0], avatar_url: "https://avatars.example/u/1" },
  parents: [{ sha: "ffee", url: "https://api.github.example/commits/ffee" }],
}));

const contacts = {
  results: count(30, (at) => ({
    id: String(51 + at),
    properties: {
      firstname: person(at).split(" ")[0],
      lastname: person(at).split(" ")[1],
      email: address(at),
      company: "Acme",
      phone: `+351 210 000 ${100 + at}`,
      lifecyclestage: "customer",
    },
    createdAt: `${day(at)}T07:00:00Z`,
    updatedAt: `${day(at + 1)}T07:00:00Z`,
    archived: false,
  })),
  paging: { next: { after: "81", link: "https://api.crm.example/contacts?after=81" } },
};

/** Each result by the name of its golden file. */
export const APP_RESULTS: Readonly<Record<string, unknown>> = {
  "mail-list": mailList,
  "one-mail": oneMail,
  issues,
  calendar,
  chat,
  files,
  sheet,
  search,
  commits,
  contacts,
};
