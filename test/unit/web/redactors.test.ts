import { expect, it } from "vitest";
import { openSecretBook } from "../../../adapters/egress/secret-book.ts";
import type { SecretsPort } from "../../../core/ports/secrets.ts";
import { ok } from "../../../core/base/errors.ts";
import { RedactorCache } from "../../../adapters/egress/redactors.ts";

const MINUTE = 60_000;
const secret = (name: string, value: string | null) => ({ name, value });

it("makes a redactor once for the same secrets, and another one after a change", () => {
  const shelf = new RedactorCache();
  const first = shelf.get([secret("KEY", "canary-1"), secret("GONE", null)], 0);
  expect(shelf.get([secret("KEY", "canary-1")], 1)).toBe(first);
  const changed = shelf.get([secret("KEY", "canary-2")], 2);
  expect(changed.text("canary-1 canary-2")).toBe("canary-1 {{secret.KEY}}");
  expect(shelf.get([secret("OTHER", "canary-1")], 3).text("canary-1")).toBe("{{secret.OTHER}}");
});

it("drops a redactor ten minutes after its last use", () => {
  const shelf = new RedactorCache();
  const first = shelf.get([secret("KEY", "canary-1")], 0);
  shelf.get([secret("KEY", "canary-1")], 9 * MINUTE);
  expect(shelf.get([secret("KEY", "canary-1")], 18 * MINUTE)).toBe(first);
  expect(shelf.get([secret("KEY", "canary-1")], 29 * MINUTE)).not.toBe(first);
});

it("stores as many as fit, and forgets the least recently used first", () => {
  const shelf = new RedactorCache();
  const list = (letter: string) =>
    Array.from({ length: 100 }, (_, at) => secret(`K${at}`, `${letter}${at}${letter.repeat(3_900)}`));
  const [a, b] = [shelf.get(list("a"), 0), shelf.get(list("b"), 1)];
  expect(shelf.get(list("a"), 2)).toBe(a);
  shelf.get(list("c"), 3);
  expect(shelf.get(list("a"), 4)).toBe(a);
  expect(shelf.get(list("b"), 5)).not.toBe(b);
});

it("is built once for each version of a tenant's secrets, for any number of requests", async () => {
  const redactorOf = async (value: string) => {
    const secrets = [{ name: "KEY", value, hosts: [] }];
    const port: Partial<SecretsPort> = { all: async () => ok(secrets) };
    const book = await openSecretBook(port as SecretsPort, false);
    return book.ok ? await book.value.redactor() : null;
  };
  const first = await redactorOf("canary-version-1");
  expect(first?.text("canary-version-1")).toBe("{{secret.KEY}}");
  expect(await redactorOf("canary-version-1")).toBe(first);
  expect(await redactorOf("canary-version-2")).not.toBe(first);
});
