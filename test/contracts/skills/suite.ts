/** What every `SkillsPort` does. Runs in Node for the fake and in workerd for the bucket. */
import { describe, expect, it } from "vitest";
import { hashPackage, checkPackage, writePackage } from "../../../core/skills/package.ts";
import type { SkillsPort } from "../../../core/ports/skills.ts";
import { SHIPPED } from "../../../core/skills/shipped.generated.ts";

/** A package whose SKILL.md has this text. */
export async function packedWith(text: string): Promise<{ hash: string; packed: Uint8Array }> {
  const encoder = new TextEncoder();
  const made = checkPackage([
    { path: "SKILL.md", bytes: encoder.encode(text) },
    { path: "scripts/a.sh", bytes: encoder.encode("#!/bin/sh\necho é\n") },
    { path: "assets/raw", bytes: new Uint8Array([0, 255, 10, 13]) },
  ]);
  if (!made.ok) throw new Error(made.error.message);
  const packed = writePackage(made.value.files);
  return { hash: await hashPackage(packed), packed };
}

/** `open` gives the port of one tenant that has this package, and that of another that has none. */
export function skillsContract(
  name: string,
  open: (stored: { hash: string; packed: Uint8Array }) => Promise<{ own: SkillsPort; other: SkillsPort }>,
): void {
  describe(`skills: ${name}`, () => {
    it("give a package by its hash: its files in order, their bytes as they were", async () => {
      const stored = await packedWith("text");
      const { own } = await open(stored);
      const opened = await own.open(stored.hash);
      if (!opened.ok) throw new Error(opened.error.message);
      const { files, text } = opened.value;
      expect(text).toBe("text");
      expect(files).toEqual([
        { path: "SKILL.md", size: 4, mode: 0o644 },
        { path: "assets/raw", size: 4, mode: 0o644 },
        { path: "scripts/a.sh", size: 18, mode: 0o755 },
      ]);
      const bytes = opened.value.read("assets/raw");
      expect(bytes.ok && Array.from(bytes.value)).toEqual([0, 255, 10, 13]);
      expect(opened.value.read("../assets/raw")).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("give no package that the tenant has not", async () => {
      const stored = await packedWith("secret");
      const { other } = await open(stored);
      expect(await other.open(stored.hash)).toMatchObject({ ok: false, error: { code: "not_found" } });
    });

    it("give every tenant what ships", async () => {
      const { other } = await open(await packedWith("x"));
      for (const { skill, files } of SHIPPED) {
        const opened = await other.open(skill.hash);
        expect(opened.ok && opened.value.files.map(({ path }) => path)).toEqual(files.map(({ path }) => path));
      }
    });
  });
}
