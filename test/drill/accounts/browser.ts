/** A person's browser that connects an account: from the link to the app's sign-in page and back. A cut connection has status 0. */
import { signIn } from "../../mock-servers/oauth-sign-in.ts";

const TIMEOUT_MS = 30_000;
const FORM = "application/x-www-form-urlencoded";
/** How often a person reloads a page that did not arrive. */
const RELOADS = 3;

/** `text` is empty, and `location` null, without an answer. */
export interface Page {
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /** Uses a link, signs in at the app, and returns. Gives the last page that was reached. */
  async connect(link: string, user: string): Promise<Page> {
    const gone = await this.visit(`${new URL(link).pathname}/go`, { unattended: "on" });
    if (gone.status !== 303 || gone.location === null) return gone;
    const back = await signIn(gone.location, user);
    return await this.#reload(back.pathname + back.search);
  }

  async #reload(path: string): Promise<Page> {
    let page = await this.visit(path);
    for (let reload = 1; reload <= RELOADS && page.status === 0; reload += 1) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      page = await this.visit(path);
    }
    return page;
  }

  /** Sends a form, or opens a page without one. */
  async visit(path: string, form?: Readonly<Record<string, string>>): Promise<Page> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const sent = form === undefined ? {} : { "content-type": FORM, origin: this.#base };
    try {
      const response = await fetch(this.#base + path, {
        method: form === undefined ? "GET" : "POST",
        headers: { ...sent, "sec-fetch-site": "same-origin", ...(cookie === "" ? {} : { cookie }) },
        ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      for (const set of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        this.#cookies.set(name, value);
      }
      return {
        status: response.status,
        location: response.headers.get("location"),
        text: await response.text(),
      };
    } catch {
      return { status: 0, location: null, text: "" };
    }
  }
}
