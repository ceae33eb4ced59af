import { fakeFiles } from "../fakes/files.ts";
import { filesChangesContract } from "./files-changes-suite.ts";
import { filesContract } from "./files-suite.ts";

filesContract("the fake in memory", () => fakeFiles());
filesChangesContract("the fake in memory", () => fakeFiles());
