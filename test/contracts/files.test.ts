import { fakeFiles } from "../fakes/files.ts";
import { filesContract } from "./files-suite.ts";

filesContract("the fake in memory", () => fakeFiles());
