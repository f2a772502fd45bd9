import { Name } from '../../../platform/http/index.js';

export class TenantNameBody {
  /** trimmed, unique */
  @Name()
  name: string;
}

export class TenantView {
  id: string;
  name: string;
}

export class TenantListView {
  results: TenantView[];
}
