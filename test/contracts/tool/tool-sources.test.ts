import { fakeToolSources } from "../../fakes/tool-sources.ts";
import { toolSourcesContract } from "./tool-sources-suite.ts";

toolSourcesContract("the fake in memory", async () => ({ sources: fakeToolSources(), a: "ten_a", b: "ten_b" }));
