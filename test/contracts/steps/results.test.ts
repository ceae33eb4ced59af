import { TENANT } from "../../../core/provenance/label.ts";
import { fakeResults } from "../../fakes/results.ts";
import { resultsContract } from "./results-suite.ts";

const call = (task: string, index: number) => `call_${task.padStart(26, "0")}_1_${index}`;

resultsContract("the fake in memory", async (wanted) => {
  const ids = { shortened: call("1", 0), short: call("1", 1) };
  const texts = { [ids.shortened]: wanted.shortened, [ids.short]: wanted.short };
  const results = fakeResults(texts, { [ids.short]: TENANT });
  return { results, ...ids, unsettled: call("1", 2), elsewhere: [call("2", 0), call("2", 1)] };
});
