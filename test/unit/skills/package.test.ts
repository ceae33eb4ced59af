import { describe, expect, test } from "vitest";
import {
  MAX_PACKAGE_BYTES,
  MAX_PACKAGE_FILES,
  MAX_SKILL_FILE_BYTES,
  hashPackage,
  readPackage,
  writePackage,
} from "../../../core/skills/package.ts";
import { unzip } from "../../../workers/skills/unzip.ts";
import { type MadeEntry, makeZip } from "../../mock-servers/make-zip.ts";
import { type Files, given, packageFrom, skillMd } from "./packages.ts";

const hashOf = async (files: Files) => await hashPackage(writePackage(packageFrom(files).files));
const SKILL = { "SKILL.md": skillMd() };
const errorOf = async (files: Files) => {
  const made = given(files);
  return made.ok ? null : made.error;
};

describe("a package", () => {
  test("has one hash, for any order of its files and any folder around them", async () => {
    const files = { "SKILL.md": skillMd(), "scripts/a.py": "#!/usr/bin/env python3\n", "b/é.txt": "x" };
    const hash = await hashOf(files);
    expect(await hashOf(Object.fromEntries(Object.entries(files).reverse()))).toBe(hash);
    expect(
      await hashOf(Object.fromEntries(Object.entries(files).map(([path, text]) => [`sample/${path}`, text]))),
    ).toBe(hash);
    expect(await hashOf({ ...files, "b/é.txt": "y" })).not.toBe(hash);
    expect(await hashOf({ ...files, "b/e.txt": "x" })).not.toBe(hash);
  });

  test("is read back as it was written", () => {
    const { files } = packageFrom({ ...SKILL, "assets/empty": "", "assets/raw": new Uint8Array([0, 255, 10]) });
    const opened = readPackage(writePackage(files));
    expect(opened.files.map(({ path, size }) => [path, size])).toEqual([
      ["SKILL.md", skillMd().length],
      ["assets/empty", 0],
      ["assets/raw", 3],
    ]);
    expect(opened.text).toBe(skillMd());
    expect(opened.read("assets/raw")).toEqual({ ok: true, value: new Uint8Array([0, 255, 10]) });
    expect(opened.read("assets/none")).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("makes files with a shebang executable, and no others", () => {
    const { files } = packageFrom({ ...SKILL, "scripts/a": "#!/bin/sh\n", "scripts/b": "echo\n" });
    expect(files.map(({ mode }) => mode)).toEqual([0o644, 0o755, 0o644]);
  });

  test("drops files of operating systems, and lists them", () => {
    const made = packageFrom({
      "s/SKILL.md": skillMd(),
      "s/.DS_Store": "x",
      "s/scripts/__pycache__/a.pyc": "x",
      "__MACOSX/s/._SKILL.md": "x",
    });
    expect(made.files.map(({ path }) => path)).toEqual(["SKILL.md"]);
    expect([made.folder, made.litter.length]).toEqual(["s", 3]);
  });

  test.each([
    ["/etc/passwd", "leads out of the package"],
    ["../x", "leads out of the package"],
    ["a/../../x", "leads out of the package"],
    ["C:/x", "leads out of the package"],
    ["a\\b", "backslash"],
    ["a//b", "empty segment"],
    ["a/./b", "single dot"],
    ["a\u0000b", "control characters"],
    ["a\u202Eb", "invisible characters"],
    ["a/b/c/d/e/f/g/h/i/j/k", "folders deep"],
    ["x".repeat(301), "longer than 300 bytes"],
    ["skill.MD", "differs from SKILL.md only in case"],
    ["SKILL.md/x", "skill.md is a file, not a folder"],
  ])("rejects a file at %j", async (path, why) => {
    expect((await errorOf({ ...SKILL, [path]: "x" }))?.message).toContain(why);
  });

  test("names every invalid path", async () => {
    const error = await errorOf({ ...SKILL, "/a": "x", "../b": "x" });
    expect(error).toMatchObject({ code: "invalid_input", field: "/a" });
    expect(error?.fields?.map(({ field }) => field)).toEqual(["/a", "../b"]);
  });

  test.each([
    ["none at all", { "README.md": "x" }, "SKILL.md: is missing"],
    ["another spelling", { "skill.md": "x" }, "found skill.md"],
    ["one further down", { "a/b/SKILL.md": "x" }, "found b/SKILL.md"],
    ["several", { "a/SKILL.md": "x", "b/SKILL.md": "x" }, "send each skill separately"],
  ])("needs a SKILL.md at its top, not %s", async (_, files, why) => {
    expect((await errorOf(files as unknown as Files))?.message).toContain(why);
  });

  test("is limited in bytes and files", async () => {
    const large = { ...SKILL, "assets/x": new Uint8Array(MAX_PACKAGE_BYTES) };
    expect(await errorOf(large)).toMatchObject({ code: "too_large", field: "files" });
    const many = Object.fromEntries(Array.from({ length: MAX_PACKAGE_FILES }, (_, i) => [`a/${i}`, "x"]));
    expect(await errorOf({ ...SKILL, ...many })).toMatchObject({ code: "too_large", field: "files" });
    const text = skillMd([], "x".repeat(MAX_SKILL_FILE_BYTES));
    expect(await errorOf({ "SKILL.md": text })).toMatchObject({ code: "too_large", field: "SKILL.md" });
  });
});

describe("an archive", () => {
  const good: MadeEntry = { path: "s/SKILL.md", bytes: skillMd() };
  const read = async (...entries: MadeEntry[]) => await unzip(await makeZip(entries));

  test("yields its files, deflated or stored, without folders, with or without a comment and modes", async () => {
    const archive = await makeZip(
      [
        { path: "s/", mode: 0o040755 },
        { ...good, mode: 0o100644 },
        { path: "s/é.txt", bytes: "stored", isStored: true },
        { path: "s/empty", bytes: "" },
      ],
      "a comment",
    );
    const files = await unzip(archive);
    expect(files.ok && files.value.map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)])).toEqual([
      ["s/SKILL.md", skillMd()],
      ["s/é.txt", "stored"],
      ["s/empty", ""],
    ]);
  });

  test.each<[string, MadeEntry, string]>([
    ["a link", { path: "s/link", bytes: "/etc/passwd", mode: 0o120777, isStored: true }, "is a link"],
    ["a device", { path: "s/null", bytes: "", mode: 0o020666 }, "is not a file"],
    ["an encrypted entry", { path: "s/a", bytes: "x", flags: 0x801 }, "is encrypted"],
    ["another method", { path: "s/a", bytes: "x", method: 12 }, "use deflate"],
    ["a bomb", { path: "s/a", bytes: "", size: 9_000_000 }, "100 times as large"],
    ["a size that is too small", { path: "s/a", bytes: "xxxxxxxx", size: 4 }, "is broken"],
    ["a size that is too large", { path: "s/a", bytes: "xxxx", size: 400 }, "is broken"],
    ["a wrong checksum", { path: "s/a", bytes: "x", crc: 1 }, "is broken"],
    ["no deflated bytes", { path: "s/a", bytes: "\xFF\xFF\xFF", isStored: true, method: 8 }, "is broken"],
    ["two names", { path: "s/a", bytes: "x", localPath: "s/b" }, "has two names"],
    ["a place outside", { path: "s/a", bytes: "x", offset: 0xffffff }, "not where the directory says"],
    ["the place of another", { path: "s/SKILL.md", bytes: skillMd(), offset: 0 }, "its entries overlap"],
  ])("is rejected for %s", async (_, entry, why) => {
    const refused = await read(good, entry);
    expect(refused).toMatchObject({ ok: false, error: { code: "invalid_input" } });
    expect(refused.ok ? "" : refused.error.message).toContain(why);
  });

  test("is rejected over its limits before anything is inflated", async () => {
    const sizes = await read(
      good,
      { path: "a", bytes: "x", size: 900_000 },
      { path: "b", bytes: "x", size: 9_500_000 },
    );
    expect(sizes.ok ? "" : sizes.error.message).toMatch(/100 times|at most 10000000 bytes/);
    const many = Array.from({ length: 1_001 }, (_, i) => ({ path: `d${i}/`, bytes: "" }));
    expect(await read(...many)).toMatchObject({ ok: false, error: { code: "too_large" } });
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["some bytes", new Uint8Array(100).fill(80)],
    ["only an end", Uint8Array.from({ length: 22 }, (_, at) => [80, 75, 5, 6][at] ?? 255)],
  ])("is invalid: %s", async (_, bytes) => {
    expect(await unzip(bytes)).toMatchObject({ ok: false, error: { code: "invalid_input", field: "body" } });
  });

  test("is never misread when truncated or changed", async () => {
    const archive = await makeZip([good, { path: "s/a.txt", bytes: "some text that is deflated ".repeat(9) }]);
    const whole = await unzip(archive);
    for (let at = 0; at < archive.length; at += 3) {
      const cut = await unzip(archive.subarray(0, at));
      expect(cut.ok).toBe(false);
      const changed = new Uint8Array(archive);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      const read = await unzip(changed);
      if (!read.ok || !whole.ok) continue;
      const contents = (files: typeof read.value) => files.map(({ bytes }) => new TextDecoder().decode(bytes));
      const isSame = contents(read.value).every((text, index) => text === contents(whole.value)[index]);
      expect(isSame, `byte ${at}`).toBe(true);
    }
  });
});
