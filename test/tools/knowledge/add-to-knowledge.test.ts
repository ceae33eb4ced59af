import { describe, expect, it } from "vitest";
import { OUTSIDE, PRINCIPAL } from "../../../core/provenance/label.ts";
import addToKnowledge from "../../../tools/knowledge/add-to-knowledge.ts";
import { fakeDocumentIntake } from "../../fakes/document-intake.ts";
import { fakeFiles } from "../../fakes/files.ts";
import { runTool } from "../run-tool.ts";

const bytes = new TextEncoder().encode("# Pumps");

async function withFile(label = PRINCIPAL as typeof PRINCIPAL | typeof OUTSIDE) {
  const files = fakeFiles(() => 0);
  await files.write("inbox/manual.md", bytes, { key: "k", label, overwrite: true } as never);
  return files;
}

describe("add_to_knowledge", () => {
  it("adds a file once for a call, with its title and tags", async () => {
    const [files, documentIntake] = [await withFile(), fakeDocumentIntake("plant")];
    const given = { filename: "inbox/manual.md", title: "The manual", tags: ["pumps", "pumps"] };
    const first = await runTool(addToKnowledge, given, { files, documentIntake }, { key: "call" });
    const again = await runTool(addToKnowledge, given, { files, documentIntake }, { key: "call" });
    expect(first.result).toMatchObject({ status: "queued", project: "plant", label: "tenant" });
    expect(again.result).toEqual(first.result);
    expect(first.output).toContain("for the project plant");
    expect(documentIntake.added).toMatchObject([
      { path: "inbox/manual.md", title: "The manual", tags: ["pumps"], bytes },
    ]);
  });

  it("marks text from outside, of the file or of the task", async () => {
    const documentIntake = fakeDocumentIntake();
    const given = { filename: "inbox/manual.md" };
    const ofFile = await runTool(addToKnowledge, given, { files: await withFile(OUTSIDE), documentIntake });
    expect(ofFile.result).toMatchObject({ label: "outside", project: null });
    const ofTask = await runTool(
      addToKnowledge,
      given,
      { files: await withFile(), documentIntake },
      { label: OUTSIDE },
    );
    expect(ofTask.result).toMatchObject({ label: "outside" });
  });

  it("names the field of a file that is not there, or that the agent may not read", async () => {
    const ports = { files: await withFile(), documentIntake: fakeDocumentIntake() };
    for (const filename of ["none.md", "../../etc/passwd"]) {
      const { failure } = await runTool(addToKnowledge, { filename }, ports);
      expect(failure).toMatchObject({ field: "filename" });
    }
    expect(ports.documentIntake.added).toEqual([]);
  });

  it("passes on that the tenant is full", async () => {
    const ports = { files: await withFile(), documentIntake: fakeDocumentIntake(null, 0) };
    const { failure } = await runTool(addToKnowledge, { filename: "inbox/manual.md" }, ports);
    expect(failure).toMatchObject({ code: "quota_exceeded" });
  });
});
