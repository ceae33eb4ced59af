/** What a browser's name for itself says in short. Anybody may write anything there: it is a help to the reader, and proves nothing. */

/** In this order: those that stand below also stand in what those above say. */
const BROWSERS: readonly (readonly [mark: string, word: string])[] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
];
const SYSTEMS: readonly (readonly [mark: string, word: string])[] = [
  ["Windows", "Windows"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["CrOS", "ChromeOS"],
  ["Mac OS X", "macOS"],
  ["Linux", "Linux"],
];

/** Such as "Firefox on Linux"; null: it is no browser that is known here. */
export function browserInWords(userAgent: string): string | null {
  const browser = userAgent.startsWith("Mozilla/") ? wordIn(BROWSERS, userAgent) : undefined;
  const system = wordIn(SYSTEMS, userAgent);
  if (browser === undefined) return null;
  return system === undefined ? browser : `${browser} on ${system}`;
}

function wordIn(words: readonly (readonly [mark: string, word: string])[], text: string): string | undefined {
  return words.find(([mark]) => text.includes(mark))?.[1];
}
