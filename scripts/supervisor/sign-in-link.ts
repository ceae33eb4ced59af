/** The link that signs the person who started the system in to its console, made by the API, like any other. */

/** Long enough for an object that is loaded for the first time. */
const ANSWER_WITHIN_MS = 10_000;

/** `path` follows the system's address and has the token behind `#`. */
export type MadeLink =
  | { readonly made: true; readonly path: string }
  | { readonly made: false; readonly problem: string };

/** Makes a link with the local tenant's key. Never throws: a system without one is a system all the same. */
export async function makeSignInLink(origin: string, key: string): Promise<MadeLink> {
  try {
    const response = await fetch(`${origin}/v1/session/links`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: "{}",
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const text = await response.text();
    if (response.status !== 201) return { made: false, problem: `${response.status} ${text.slice(0, 300)}` };
    const { pathname, hash } = new URL((JSON.parse(text) as { url: string }).url);
    return { made: true, path: `${pathname}${hash}` };
  } catch (error) {
    return { made: false, problem: String(error) };
  }
}
