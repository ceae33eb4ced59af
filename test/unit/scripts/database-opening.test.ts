/** What a failure of the embedded database's start means: a full disk is never damage, also when it fills while the folder opens. */
import { expect, it, vi } from "vitest";
import { DatabaseDamaged } from "../../../scripts/database/embedded-folder.ts";
import { KeyMissing } from "../../../scripts/database/key-ring.ts";
import { judgeStartFailure, openTwice } from "../../../scripts/database/opening.ts";
import { PostgresFailure } from "../../../scripts/database/sql-backend.ts";

const FOLDER = "/state/database";
const postgres = (message: string, code: string) => new PostgresFailure(message, { code });
const PANIC = new Error("PANIC: could not write to file");

/** An opening whose tries fail with these, one after another, on a disk that is full from then on or not. */
async function opening(failures: readonly Error[], isFullAfterwards: boolean) {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const left = [...failures];
  let waits = 0;
  const open = async () => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    return "opened";
  };
  const waitForSpace = async () => void (waits += 1);
  const isDiskFull = () => isFullAfterwards;
  const ended = await openTwice({ folder: FOLDER, open, waitForSpace, isDiskFull }).catch((error: unknown) => error);
  return { ended, waits };
}

it("opens after one failure, once there is space", async () => {
  expect(await opening([PANIC], false)).toEqual({ ended: "opened", waits: 1 });
});

it("is damaged when it failed twice on a disk with space", async () => {
  expect((await opening([PANIC, PANIC], false)).ended).toBeInstanceOf(DatabaseDamaged);
});

it.each([
  ["the disk is full", PANIC, true],
  ["the disk was full, and has space again", new Error("ENOSPC: no space left on device, write"), false],
  ["Postgres says that the disk was full", postgres("could not extend file", "53100"), false],
])("is not damaged when the second try failed because %s", async (_, failure, isFull) => {
  const { ended } = await opening([PANIC, failure], isFull);
  expect(ended).toBe(failure);
  const embedded = { folder: FOLDER, isDiskFull: () => isFull };
  expect(judgeStartFailure(ended, embedded).kind).toBe(isFull ? "full" : "failed");
});

it("waits for space before it reports anything else", () => {
  const embedded = (isFull: boolean) => ({ folder: FOLDER, isDiskFull: () => isFull });
  for (const error of [new DatabaseDamaged("damaged"), postgres("broken", "XX001"), PANIC])
    expect(judgeStartFailure(error, embedded(true))).toEqual({ kind: "full" });
  expect(judgeStartFailure(new DatabaseDamaged("damaged"), embedded(false))).toEqual({
    kind: "fatal",
    message: "damaged",
  });
});

it.each([
  [new KeyMissing("a key is missing"), "a key is missing"],
  [postgres("invalid page", "XX001"), `the database in ${FOLDER} is damaged`],
  [postgres("no such column", "42703"), "a migration failed: no such column"],
])("ends the start in a sentence: %s", (error, message) => {
  const judged = judgeStartFailure(error, { folder: FOLDER, isDiskFull: () => false });
  expect(judged).toEqual({ kind: "fatal", message: expect.stringContaining(message) });
});

it("calls nothing of a Postgres elsewhere damaged", () => {
  const error = postgres("invalid page", "XX001");
  expect(judgeStartFailure(error, null)).toEqual({ kind: "fatal", message: "a migration failed: invalid page" });
});
