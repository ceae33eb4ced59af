/** The page of the demo provider where a person consents. It says that nothing is real. */

/** The people that the page offers. */
export const PEOPLE = ["ana@demo.example", "tom@demo.example"] as const;

/** A page with a button for each person and one to decline. Texts come from the list of apps, not from a request. */
export function renderSignIn(app: string): string {
  const buttons = PEOPLE.map((person) => `<button name="label" value="${person}">Continue as ${person}</button>`);
  return renderPage(
    `Sign in to ${app}`,
    `<p>This is a demo app of Otto. No account and no data here is real.</p>
<form method="post">${buttons.join("\n")}
<button name="label" value="">Decline</button></form>`,
  );
}

export function renderEnded(): string {
  return renderPage("This link has ended", "<p>Go back to Otto and connect the app again.</p>");
}

export function renderPage(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>body{font:16px/1.5 system-ui;max-width:28rem;margin:4rem auto;padding:0 1rem}
button,textarea{display:block;box-sizing:border-box;width:100%;margin:.5rem 0;padding:.7rem;font:inherit}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>`;
}
