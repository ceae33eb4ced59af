import { fakeFiles } from "../../fakes/files.ts";
import { filesChangesContract } from "./files-changes-suite.ts";
import { filesLabelsContract } from "./files-labels-suite.ts";
import { filesContract } from "./files-suite.ts";

filesContract("the fake in memory", () => fakeFiles());
filesChangesContract("the fake in memory", () => fakeFiles());
filesLabelsContract("the fake in memory", () => fakeFiles());
