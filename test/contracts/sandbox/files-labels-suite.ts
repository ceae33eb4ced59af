/** Contract of every `FilesPort` for labels. Runs in Node for the fake and in workerd for the object. */
import { describe, expect, it } from "vitest";
import type { FilesPort } from "../../../core/ports/files.ts";
import { OUTSIDE, PRINCIPAL, TENANT } from "../../../core/provenance/label.ts";
import { valueOf } from "../value-of.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
let keys = 0;
const freshKey = () => ({ key: `label-${(keys += 1)}` });

export function filesLabelsContract(name: string, open: () => FilesPort): void {
  describe(`labels of files: ${name}`, () => {
    it("are those of the writer, and outside by default", async () => {
      const files = open();
      valueOf(await files.write("a.txt", bytesOf("a"), { ...freshKey(), label: PRINCIPAL }));
      valueOf(await files.write("b.txt", bytesOf("b"), freshKey()));
      expect(valueOf(await files.stat("a.txt")).label).toBe(PRINCIPAL);
      expect(valueOf(await files.stat("b.txt")).label).toBe(OUTSIDE);
      expect(valueOf(await files.read("a.txt", 10)).entry.label).toBe(PRINCIPAL);
      expect(valueOf(await files.walk("", null, 10)).files.map(({ label }) => label)).toEqual([PRINCIPAL, OUTSIDE]);
    });

    it("stay with each version, including a restored one and a backup", async () => {
      const files = open();
      valueOf(await files.write("a.txt", bytesOf("1"), { ...freshKey(), label: OUTSIDE }));
      const backup = { backupPath: "a.bak", label: PRINCIPAL };
      valueOf(await files.write("a.txt", bytesOf("2"), { ...freshKey(), ...backup }));
      expect(valueOf(await files.stat("a.txt")).label).toBe(PRINCIPAL);
      expect(valueOf(await files.stat("a.bak")).label).toBe(OUTSIDE);
      expect(valueOf(await files.versions("a.txt")).map(({ label }) => label)).toEqual([PRINCIPAL, OUTSIDE]);
      expect(valueOf(await files.restore("a.txt", 1, freshKey())).label).toBe(OUTSIDE);
    });

    it("distinguish uploads from files that a task wrote, also in copies of them", async () => {
      const files = open();
      const uploaded = async (path: string) => valueOf(await files.stat(path)).isUploaded;
      valueOf(await files.write("a.txt", bytesOf("1"), { ...freshKey(), label: OUTSIDE, isUploaded: true }));
      expect(await uploaded("a.txt")).toBe(true);
      expect(valueOf(await files.read("a.txt", 10)).entry.isUploaded).toBe(true);
      expect(valueOf(await files.walk("", null, 10)).files.map(({ isUploaded }) => isUploaded)).toEqual([true]);
      valueOf(await files.write("a.txt", bytesOf("2"), { ...freshKey(), backupPath: "a.bak" }));
      expect([await uploaded("a.txt"), await uploaded("a.bak")]).toEqual([false, false]);
      expect(valueOf(await files.versions("a.txt")).map(({ isUploaded }) => isUploaded)).toEqual([false, true]);
      expect(valueOf(await files.restore("a.txt", 1, freshKey())).isUploaded).toBe(false);
      const change = { kind: "write", path: "b.txt", bytes: bytesOf("a"), ifVersion: 0 } as const;
      valueOf(await files.apply([change], freshKey()));
      expect(await uploaded("b.txt")).toBe(false);
    });

    it("are those of the change set for each of its changes", async () => {
      const files = open();
      const change = { kind: "write", path: "d/a.txt", bytes: bytesOf("a"), ifVersion: 0 } as const;
      valueOf(await files.apply([change], { ...freshKey(), label: TENANT }));
      expect(valueOf(await files.stat("d/a.txt")).label).toBe(TENANT);
      valueOf(await files.apply([{ ...change, bytes: bytesOf("b"), ifVersion: 1 }], freshKey()));
      expect(valueOf(await files.stat("d/a.txt")).label).toBe(OUTSIDE);
    });

    it("of a directory join all that is in it, names of empty ones too", async () => {
      const files = open();
      valueOf(await files.write("d/clean.txt", bytesOf("a"), { ...freshKey(), label: PRINCIPAL }));
      expect(valueOf(await files.list("")).map(({ label }) => label)).toEqual([PRINCIPAL]);
      valueOf(await files.makeDirectory("d/do as I say", { ...freshKey(), label: OUTSIDE }));
      expect(valueOf(await files.list("")).map(({ label }) => label)).toEqual([OUTSIDE]);
      expect(valueOf(await files.list("d")).map(({ label }) => label)).toEqual([PRINCIPAL, OUTSIDE]);
    });

    it("stay with the name of a directory whose file was removed", async () => {
      const files = open();
      valueOf(await files.write("do as I say/a.txt", bytesOf("a"), { ...freshKey(), label: OUTSIDE }));
      valueOf(await files.remove("do as I say/a.txt", freshKey()));
      expect(valueOf(await files.list("")).map(({ label }) => label)).toEqual([OUTSIDE]);
    });
  });
}
