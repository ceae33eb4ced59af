/** The stateless runner of channels: processes received items, sends deliveries, and fans out the notices of tasks. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../../adapters/env/bindings.ts";
import { catalogueSourceFromEnv } from "../../adapters/env/tenant-provider.ts";
import { ingestDepsFromEnv } from "../../adapters/env/knowledge.ts";
import { SYNC_INBOX } from "../../core/apps/sync/inbox-item.ts";
import type { Attempt, Delivery, SendResult } from "../../core/channels/outbox/delivery.ts";
import type { ItemOutcome, InboxItem } from "../../core/channels/inbox/inbox.ts";
import { findInboxTenant } from "../../core/codebases/inbox-item.ts";
import type { Notice } from "../../core/task/notice.ts";
import type { ChannelsRpc, CreatedTask, TaskOrder, MessageCause } from "../../core/channels/rpc.ts";
import type { CatalogueSource } from "../../core/ports/apps.ts";
import { type Failure, failed, ok, type Result } from "../../core/base/errors.ts";
import { findIngestTenant } from "../../core/knowledge/ingest-item.ts";
import type { IngestDeps } from "../../core/knowledge/ingest.ts";
import { isSupported, OTHER_RELEASE, REFUSED_JOB_RETRY_MS } from "../../core/steps/job-version.ts";
import type { OutMessage } from "../../core/channels/outbox/message.ts";
import type { DeliverTo } from "../../core/task/source.ts";
import { ITEM_MS } from "../../core/tenant/cost-rates.ts";
import type { JsonState } from "../../core/tool/tool.ts";
import { paceIncoming } from "../http/charge-cost.ts";
import { createTaskFromOrder } from "../tasks/create.ts";
import { type Channels, CHANNELS, loadReceiver, loadSender } from "./channels.ts";
import { fanOutNotices } from "./fan-out/fan-out.ts";
import { sendMessage } from "./outbox/notify.ts";

/** A job of a later release: nothing has started, and its object resends it. */
const OTHER_RELEASE_RESULT = { kind: "later", afterMs: REFUSED_JOB_RETRY_MS, why: OTHER_RELEASE } as const;

/** An item may answer a question, so it waits only briefly for the pace of earlier ones. */
const LONGEST_ITEM_PAUSE_MS = 1000;

export class ChannelRunner extends WorkerEntrypoint<Env> implements ChannelsRpc {
  protected readonly channels: Channels = CHANNELS;
  /** Where apps are described. A test's runner has its own. */
  protected readonly sourceOfApps: (env: Env) => Promise<Result<CatalogueSource | null>> = catalogueSourceFromEnv;

  /** What documents are read with. A test's runner has its own. */
  protected readonly ingestDeps: (env: Env, tenant: string) => IngestDeps = ingestDepsFromEnv;

  async receive(inbox: string, item: InboxItem, lane: JsonState | null, version?: number): Promise<ItemOutcome> {
    if (!isSupported(version)) return OTHER_RELEASE_RESULT;
    if (inbox === SYNC_INBOX) {
      const { receiveSyncPage } = await import("../catalogue/receive.ts");
      return await receiveSyncPage(this.env, this.sourceOfApps, item, lane);
    }
    const reader = findIngestTenant(inbox);
    if (reader !== null) {
      const { receiveDocument } = await import("../knowledge/receive.ts");
      return await receiveDocument(this.env, reader, item, this.ingestDeps);
    }
    const ofCodebases = findInboxTenant(inbox);
    if (ofCodebases !== null) {
      const { receiveIndexItem } = await import("../codebases/receive.ts");
      return await receiveIndexItem(this.env, ofCodebases, item);
    }
    const handlers = await loadReceiver(this.channels, inbox);
    const account = { inbox, owner: handlers.findOwner?.(inbox, item) ?? null };
    await paceIncoming(this.env, account, { costMs: ITEM_MS, mostMs: LONGEST_ITEM_PAUSE_MS });
    return await handlers.receive(this.env, inbox, item, lane);
  }

  async send(delivery: Delivery, attempt: Attempt, version?: number): Promise<SendResult> {
    if (!isSupported(version)) return { ...OTHER_RELEASE_RESULT, isOurs: true };
    const handlers = await loadSender(this.channels, delivery.channel);
    return await handlers.send(this.env, delivery, attempt);
  }

  async spread(tenant: string, notices: readonly Notice[], version?: number): Promise<readonly (Failure | null)[]> {
    if (!isSupported(version)) return notices.map(() => refuse().error);
    return await fanOutNotices(this.env, tenant, notices);
  }

  async tell(
    tenant: string,
    deliver: readonly DeliverTo[],
    message: OutMessage,
    telling: MessageCause,
    version?: number,
  ): Promise<Result<void>> {
    if (!isSupported(version)) return refuse();
    return await sendMessage(this.env, { tenant, deliver, message }, telling);
  }

  /** Copies the reply of the task's object: the original would keep its reader in memory until it is disposed. */
  async makeTask(order: TaskOrder, version?: number): Promise<Result<CreatedTask>> {
    if (!isSupported(version)) return refuse();
    const made = await createTaskFromOrder(this.env, order);
    return made.ok ? ok({ id: made.value.id, status: made.value.status }) : { ok: false, error: made.error };
  }
}

function refuse(): Extract<Result<never>, { ok: false }> {
  return failed("upstream_failed", OTHER_RELEASE);
}
