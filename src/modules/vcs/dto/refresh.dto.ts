/** The task that refreshes an installation's repositories; poll it at `/tasks/{id}`. */
export class RepositoryRefreshView {
  id: string;
}
