/** The sign-in page of the mock authorization server, for tests in a browser. */

/** A user of the page. Nothing is imported, because tests in the runtime of Workers press its buttons too. */
interface SignInUser {
  readonly id: string;
  readonly email: string;
}

/** One button for each user, and one to decline. The form goes to the same address. */
export function renderSignIn(url: URL, users: readonly SignInUser[]): string {
  const buttons = users.map(({ id, email }) => `<button name="user" value="${id}">Continue as ${email}</button>`);
  const action = escapeText(`${url.pathname}${url.search}`);
  return `<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in to the mock app</h1>
<form method="post" action="${action}">${buttons.join("\n")}<button name="user" value="">Decline</button></form></html>`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Presses a button of the page, and returns the address to which the browser is sent. An empty `user` declines. */
export async function signIn(page: string, user: string): Promise<URL> {
  const sent = { method: "POST", body: new URLSearchParams({ user }), redirect: "manual" } as const;
  const reply = await fetch(page, sent);
  const location = reply.headers.get("location");
  if (location === null) throw new Error(`the sign-in page answered ${reply.status}: ${await reply.text()}`);
  return new URL(location);
}
