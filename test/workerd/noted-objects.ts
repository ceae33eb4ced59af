/** The objects of tasks and tenants, which note what tasks call, and whose storage a test can tell apart. */
import {
  SandboxObject as DeployedSandboxObject,
  TaskObject as DeployedTaskObject,
  TenantObject as DeployedTenantObject,
} from "../../workers/index.ts";
import { openOwnPhases } from "../../workers/own-phases.ts";
import { isRecording, noteCall } from "./call-notes.ts";
import { noteOwner } from "./storage-owners.ts";
import { TOOLS_OF_TESTS } from "./task/test-tools.ts";

export class TaskObject extends DeployedTaskObject {
  constructor(...[ctx, env]: ConstructorParameters<typeof DeployedTaskObject>) {
    super(ctx, env);
    noteOwner(this, "task", ctx);
  }

  protected override openOwnPhases() {
    return openOwnPhases(this.env, TOOLS_OF_TESTS);
  }

  override async alarm(): Promise<void> {
    // A view reads rows, which would distort a test that counts them. A task whose state cannot be read has no id to note.
    const view = isRecording() ? await this.view().catch(() => null) : null;
    if (view?.ok === true) noteCall(view.value.id, "alarm");
    await super.alarm();
  }

  override async create(...[task, ...wake]: Parameters<DeployedTaskObject["create"]>) {
    if (task.facts.parentId !== null) noteCall(task.facts.parentId, "subtask made", wake[0]);
    return await super.create(task, ...wake);
  }

  override async enroll(subtask: string) {
    const [parent] = subtask.split("/");
    if (parent !== undefined) noteCall(parent, "subtask enrolled");
    return await super.enroll(subtask);
  }

  override async subtaskEnded(...[subtask, label, ...wake]: Parameters<DeployedTaskObject["subtaskEnded"]>) {
    noteCall(subtask.id, "end reported to the parent", wake[0]);
    await super.subtaskEnded(subtask, label, ...wake);
  }

  override async cancel(...[by, depth]: Parameters<DeployedTaskObject["cancel"]>) {
    const view = depth !== undefined && isRecording() ? await this.view() : null;
    if (view?.ok === true) noteCall(view.value.parent_id ?? "", "subtask cancelled", depth);
    return await super.cancel(by, depth);
  }

  override async subtaskWaits(...waits: Parameters<DeployedTaskObject["subtaskWaits"]>) {
    noteCall(waits[0], "wait reported to the parent");
    await super.subtaskWaits(...waits);
  }
}

export class TenantObject extends DeployedTenantObject {
  constructor(...[ctx, env]: ConstructorParameters<typeof DeployedTenantObject>) {
    super(ctx, env);
    noteOwner(this, "tenant", ctx);
  }

  override async enter(...args: Parameters<DeployedTenantObject["enter"]>) {
    noteCall(args[0].task, "permit");
    return await super.enter(...args);
  }

  override async report(...[row]: Parameters<DeployedTenantObject["report"]>) {
    noteCall(row.task, "report to the tenant");
    return await super.report(row);
  }
}

export class SandboxObject extends DeployedSandboxObject {
  constructor(...[ctx, env]: ConstructorParameters<typeof DeployedSandboxObject>) {
    super(ctx, env);
    noteOwner(this, "sandbox", ctx);
  }
}
