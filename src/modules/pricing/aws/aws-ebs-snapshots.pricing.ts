import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { describeUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/ebs_snapshot*.go (Apache-2.0). A snapshot is taken to
// hold all of its volume: it can hold less, which nothing in a state tells.

const STORAGE = { key: 'ebs_snapshot/ebs-snapshot-storage' };
const DEFAULT_GB = 8;

function storage(r: ResourceDraft, size: Decimal | undefined): void {
  r.monthly('EBS snapshot storage', 'GB', size ?? Decimal.of(DEFAULT_GB), STORAGE);
}

function volumeSize(r: ResourceDraft, snapshot: AttributeReader | undefined): Decimal | undefined {
  return (
    snapshot?.computed.number('volume_size') ??
    r.linked('aws_ebs_volume', snapshot?.computed.text('volume_id'))?.computed.number('size')
  );
}

export const awsEbsSnapshots: Rules = {
  aws_ebs_snapshot: (r) => {
    r.part(() => storage(r, volumeSize(r, r.attributes)));
    describeUse(r, [
      ['Fast snapshot restore', 'DSU-hours', 'fast_snapshot_restore_hours'],
      [
        'ListChangedBlocks & ListSnapshotBlocks API requests',
        '1k requests',
        'monthly_list_block_requests',
        1000,
      ],
      ['GetSnapshotBlock API requests', '1k SnapshotAPIUnits', 'monthly_get_block_requests', 1000],
      ['PutSnapshotBlock API requests', '1k SnapshotAPIUnits', 'monthly_put_block_requests', 1000],
    ]);
  },
  aws_ebs_snapshot_copy: (r) => {
    const { computed } = r.attributes;
    const source = r.linked('aws_ebs_snapshot', computed.text('source_snapshot_id'));
    storage(r, computed.number('volume_size') ?? volumeSize(r, source));
  },
};
