export class ReportedTaskView {
  id: string;
  state: 'pending' | 'running' | 'completed' | 'failed' | 'aborted';
}

export class ReportView {
  /** task that ends with the step */
  task: ReportedTaskView;
}

export class PreviewView {
  has_changes: boolean;
  /** as the client prints it */
  plan: string;
}
