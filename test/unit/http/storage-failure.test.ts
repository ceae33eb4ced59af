/** What the runtime throws about its storage, as an answer. */
import { expect, it } from "vitest";
import { problemResponse } from "../../../workers/http/problem.ts";
import { FULL_BYTES, toStorageFailure } from "../../../workers/http/storage-failure.ts";

const failureOf = async (thrown: unknown, free: number | null = null) =>
  await toStorageFailure(thrown, async () => free);

it.each([
  "database or disk is full: SQLITE_FULL",
  "disk I/O error: SQLITE_IOERR",
  "unable to open database file: SQLITE_CANTOPEN",
  "Internal error in Durable Object storage write caused object to be reset; reference = x",
  "write(fd, buffer): No space left on device",
])("a disk that takes nothing is 503 with Retry-After: %s", async (message) => {
  const failure = await failureOf(new Error(message));
  const response = problemResponse(failure ?? { code: "internal", message: "" }, "req_1");
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(await response.text()).toContain("its disk is full or does not answer");
});

it.each(["database disk image is malformed: SQLITE_CORRUPT", "file is not a database: SQLITE_NOTADB"])(
  "damaged state is a sentence without Retry-After: %s",
  async (message) => {
    const response = problemResponse((await failureOf(new Error(message))) ?? { code: "gone", message: "" }, "req_1");
    expect([response.status, response.headers.get("retry-after")]).toEqual([500, null]);
  },
);

it.each([
  [503, 0],
  [503, FULL_BYTES - 1],
  [503, null],
  [500, FULL_BYTES],
])("an object that could not be opened is %i when the disk has %s bytes free", async (status, free) => {
  const failure = await failureOf(new Error("internal error; reference = 16jfrvfp1fl29luoeds61h16"), free);
  expect(problemResponse(failure ?? { code: "gone", message: "" }, "req_1").status).toBe(status);
});

it("anything else is of something else", async () => {
  for (const thrown of [new Error("no such table: task"), new TypeError("x is undefined"), "full of errors"])
    expect(await failureOf(thrown)).toBeNull();
});

it("every 503 says when to retry", () => {
  const headerOf = (code: "upstream_failed" | "internal", status?: number) =>
    problemResponse({ code, message: "x" }, "req_1", status === undefined ? {} : { status }).headers.get("retry-after");
  expect([headerOf("upstream_failed"), headerOf("internal", 503), headerOf("internal")]).toEqual(["2", "2", null]);
});
