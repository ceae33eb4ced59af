import { ok } from "../../../core/base/errors.ts";
import { CallLanguage } from "../../../core/steps/call-language.ts";
import { fakeLanguage } from "../../fakes/language.ts";
import { fakeModel } from "../../fakes/model.ts";
import { languageContract } from "./language-suite.ts";

languageContract("the fake", (answers, { calls }) => fakeLanguage(answers?.map((answer) => ok(answer)) ?? null, calls));

languageContract("of a call, which asks the task's model", (answers, asks) => {
  let next = 0;
  const model = fakeModel(() => {
    const answer = JSON.stringify(answers?.[next] ?? null);
    next += 1;
    // A model that calls no tool answers in text, with or without a fence.
    if (next % 2 === 0) return { text: `\`\`\`json\n${answer}\n\`\`\`` };
    return { calls: [{ name: "answer", arguments: answer }] };
  });
  return new CallLanguage({ model: answers === null ? null : model, name: "scripted", asks, task: { id: "task_1" } });
});
