/** Files of the state folder that are lost, truncated or something else: one sentence, or made again. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { findKeyOwner, OPERATOR } from "../../../core/tenant/keys.ts";
import { DatabaseDamaged, damageOf, finishCreation, prepareFolder } from "../../../scripts/database/embedded-folder.ts";
import { openLog } from "../../../scripts/supervisor/capped-log.ts";
import { CannotRun } from "../../../scripts/supervisor/cannot-run.ts";
import { LockDamaged, takeLock } from "../../../scripts/supervisor/exclusive-lock.ts";
import { openSecrets } from "../../../scripts/supervisor/secrets.ts";
import { keep, openStateFolder, type StateFolder } from "../../../scripts/supervisor/state-folder.ts";

const directory = mkdtempSync(join(tmpdir(), "otto-damaged-"));
afterAll(() => rmSync(directory, { recursive: true }));

const KEY = `${"A".repeat(43)}=`;
const OTHER = `${"B".repeat(42)}A=`;
let state: StateFolder;

beforeEach(() => {
  state = openStateFolder(mkdtempSync(join(directory, "state-")));
});

/** One sentence: it ends in one full stop, and has no line of a stack. */
function expectSentence(message: string): void {
  expect(message).toMatch(/^[^\n]+\.?$/);
  expect(message).not.toMatch(/^\s+at /m);
}

describe("the secrets of a state", () => {
  it("are created once, and stored by `save` only", () => {
    const first = openSecrets(state, {});
    expect(existsSync(state.secretsFile)).toBe(false);
    first.save?.();
    const second = openSecrets(state, {});
    expect(second).toEqual({ secrets: first.secrets, save: null });
    expect(first.secrets.oldSecretKeys).toBeNull();
  });

  it("are replaced by the variables, which leave the file as it was", () => {
    openSecrets(state, {}).save?.();
    const stored = readFileSync(state.secretsFile, "utf8");
    const { secrets, save } = openSecrets(state, { OTTO_SECRET_KEY: KEY, OTTO_SECRET_KEYS_OLD: OTHER });
    expect(secrets).toMatchObject({ secretKey: KEY, oldSecretKeys: OTHER });
    expect([save, readFileSync(state.secretsFile, "utf8")]).toEqual([null, stored]);
  });

  it("get no key of their own while the variable has one", () => {
    openSecrets(state, { OTTO_SECRET_KEY: KEY }).save?.();
    expect(JSON.parse(readFileSync(state.secretsFile, "utf8"))).not.toHaveProperty("secretKey");
    expect(openSecrets(state, { OTTO_SECRET_KEY: KEY }).save).toBeNull();
  });

  it.each([
    ["truncated", '{"sidecarSecret": "x", "secretK'],
    ["of another kind", '["a"]'],
    ["with a number for a text", '{"databasePassword": 7}'],
    ["with a cut key", `{"secretKey": "${KEY.slice(0, 20)}"}`],
  ])("are refused in a sentence that has the way back when the file is %s", (_, text) => {
    writeFileSync(state.secretsFile, text);
    const open = () => openSecrets(state, {});
    expect(open).toThrow(CannotRun);
    expect(open).toThrow(`${state.secretsFile} is damaged: restore it from a backup`);
    expect(readFileSync(state.secretsFile, "utf8")).toBe(text);
  });

  it.each(["OTTO_SECRET_KEY", "OTTO_SECRET_KEYS_OLD"])("are refused when %s is no key, which is not quoted", (name) => {
    expect(() => openSecrets(state, { [name]: "canary" })).toThrow(new RegExp(`^${name} has to be(?!.*canary)`));
  });

  it("get another operator key for a damaged one: the Worker learns it at each start", () => {
    writeFileSync(state.operatorKeyFile, "otto_operator_trunc");
    const { operatorKey } = openSecrets(state, {}).secrets;
    expect(findKeyOwner(operatorKey)).toBe(OPERATOR);
    expect(openSecrets(state, {}).secrets.operatorKey).toBe(operatorKey);
  });
});

describe("a lock whose file is damaged", () => {
  it("is refused in a sentence", () => {
    writeFileSync(state.lockFile, "x".repeat(8_192));
    expect(() => takeLock(state.lockFile)).toThrow(LockDamaged);
    expect(() => takeLock(state.lockFile)).toThrow(`${state.lockFile} is damaged: remove it`);
    rmSync(state.lockFile);
    takeLock(state.lockFile)?.release();
  });
});

describe("the folder of the embedded database", () => {
  const folder = () => state.databaseFolder;
  const mark = () => `${folder()}.creating`;

  function create(): void {
    mkdirSync(folder());
    writeFileSync(join(folder(), "PG_VERSION"), "18");
  }

  it("is created, and begun again when its creation was cut off", () => {
    expect(prepareFolder({ folder: folder(), isUsed: false })).toBe("created");
    create();
    expect(prepareFolder({ folder: folder(), isUsed: false })).toBe("created");
    expect(existsSync(folder())).toBe(false);
    create();
    finishCreation(folder());
    expect(prepareFolder({ folder: folder(), isUsed: true })).toBe("whole");
    expect(existsSync(mark())).toBe(false);
  });

  it("is lost if a used state lacks it", () => {
    expect(prepareFolder({ folder: folder(), isUsed: true })).toBe("lost");
  });

  it("is refused, and left as it is, when it holds something else than a database", () => {
    create();
    writeFileSync(join(folder(), "kept"), "x");
    rmSync(join(folder(), "PG_VERSION"));
    expect(() => prepareFolder({ folder: folder(), isUsed: true })).toThrow(DatabaseDamaged);
    expect(existsSync(join(folder(), "kept"))).toBe(true);
    expect(existsSync(mark())).toBe(false);
  });

  it("is named in one sentence, whatever Postgres said", () => {
    const message = damageOf(
      "/state/database",
      "PANIC: could not locate a valid checkpoint record\n    at minified.js:1",
    );
    expectSentence(message);
    expect(message).toContain("/state/database is damaged");
    expect(message).not.toContain("minified");
  });
});

describe("a file that is written completely or not at all", () => {
  it("leaves nothing behind when it cannot be written", () => {
    const target = join(directory, "a-folder-in-its-place");
    mkdirSync(target);
    writeFileSync(join(target, "x"), "x");
    expect(() => keep(target, "text")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(existsSync(`${target}.${process.pid}`)).toBe(false);
  });
});

describe("a log that cannot be written", () => {
  it("drops lines, counts them, and continues when it can be written again", () => {
    const folder = join(directory, "logs-gone");
    const path = join(folder, "some.log");
    const log = openLog(path);
    log.write("lost 1\n");
    log.write("lost 2\n");
    mkdirSync(folder);
    log.write("stored\n");
    expect(readFileSync(path, "utf8")).toBe("2 lines before this one could not be written\nstored\n");
    log.close();
  });

  it("outlives a rotation that fails", () => {
    const folder = mkdtempSync(join(directory, "rotating-"));
    const path = join(folder, "some.log");
    const log = openLog(path, 10);
    // A folder in the place of the earlier part: the rename fails.
    mkdirSync(join(`${path}.1`, "x"), { recursive: true });
    for (let line = 0; line < 5; line += 1) log.write(`line ${line} of some length\n`);
    rmSync(`${path}.1`, { recursive: true });
    log.write("last\n");
    log.close();
    expect(readFileSync(path, "utf8")).toMatch(/\d lines before this one could not be written\nlast\n$/);
  });

  it.skipIf(!existsSync("/dev/full"))("drops lines on a full disk (skipped because only Linux has /dev/full)", () => {
    const log = openLog("/dev/full");
    log.write("dropped\n");
    expect(() => log.write("dropped\n")).not.toThrow();
    log.close();
  });
});
