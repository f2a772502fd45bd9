import type { UnitOfWork } from '../../../platform/database/index.js';
import { WorkManifestOutputEntity } from '../entities/work-manifest-output.entity.js';
import { evenShare } from './comment-room.rules.js';
import type { StepText } from './comment-text.rules.js';
import { isShown, READ_FACTOR } from './run-output.rules.js';

/** What is shown of a payload: its plan, else its text. */
const PAYLOADS = `work_manifest_payloads p CROSS JOIN LATERAL (
  SELECT coalesce(nullif(p.payload -> 'plan', 'null'), p.payload -> 'text') AS said) s CROSS JOIN LATERAL (
  SELECT CASE WHEN jsonb_typeof(s.said) = 'string' THEN s.said #>> '{}' ELSE '' END AS text) t`;

interface StepSize {
  idx: number;
  length: number;
  visible: string | null;
  hasVisible: boolean;
}

/**
 * The steps of a run with as much of their texts as a comment of so many characters could show, and one character more
 * where a text is longer. A run may have reported hundreds of megabytes.
 */
export async function readShownSteps(
  work: UnitOfWork,
  workManifestId: string,
  characters: number,
): Promise<StepText[]> {
  const steps = await work.manager.find(WorkManifestOutputEntity, {
    where: { workManifestId },
    order: { idx: 'ASC' },
  });
  const sizes = await work.query<StepSize>(
    `SELECT p.idx, char_length(t.text) AS length, left(p.payload ->> 'visible_on', 20) AS visible,
            p.payload ? 'visible_on' AS "hasVisible" FROM ${PAYLOADS} WHERE p.work_manifest_id = $1`,
    [workManifestId],
  );
  const sizeOf = new Map(sizes.map((size) => [size.idx, size]));
  const shown = steps.filter((step) => isShown({ ...step, payload: visibilityOf(sizeOf.get(step.idx)) }));
  const lengths = shown.map(({ idx }) => sizeOf.get(idx)?.length ?? 0);
  const payloads = await work.query<{ idx: number; text: string; format: unknown }>(
    `SELECT p.idx, left(t.text, $3) AS text,
            CASE WHEN pg_column_size(p.payload -> 'format') < 1000 THEN p.payload -> 'format' END AS format
       FROM ${PAYLOADS} WHERE p.work_manifest_id = $1 AND p.idx = ANY ($2)`,
    [workManifestId, shown.map(({ idx }) => idx), evenShare(lengths, characters * READ_FACTOR) + 1],
  );
  const payloadOf = new Map(payloads.map(({ idx, ...payload }) => [idx, payload]));
  return steps.map((step) => {
    const size = sizeOf.get(step.idx);
    return { ...step, payload: size ? { ...visibilityOf(size), ...payloadOf.get(step.idx) } : null };
  });
}

function visibilityOf(size: StepSize | undefined): Record<string, unknown> {
  return size?.hasVisible ? { visible_on: size.visible } : {};
}
