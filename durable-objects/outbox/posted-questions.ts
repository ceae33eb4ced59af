/** Finds questions by the conversation to which their messages were posted. */
import type { PostedQuestion } from "../../core/channels/outbox/delivery.ts";
import type { OutboxTables } from "./tables.ts";

export const POSTED_QUESTIONS = `SELECT id, MIN(ts) AS ts FROM (
      SELECT substr(name, 1, instr(name || ' ', ' ') - 1) AS id, value ->> 'ts' AS ts, at FROM refs
        WHERE value ->> 'channel' = ?1 AND substr(name, 1, 4) = 'qst_'
    ) WHERE NOT EXISTS (SELECT 1 FROM called_off WHERE about = id AND called_off.at < ?2)
    GROUP BY id ORDER BY MAX(at) DESC LIMIT ?3`;

/**
 * Lists the latest questions in a conversation, without those that ended before `endedSince`. The name of a stored reply
 * begins with the question's id.
 */
export function listPostedQuestions(
  tables: OutboxTables,
  conversation: string,
  endedSince: number,
  limit: number,
): readonly PostedQuestion[] {
  return tables.read<{ id: string; ts: string }>(POSTED_QUESTIONS, conversation, endedSince, limit);
}
