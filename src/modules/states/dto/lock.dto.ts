import { IsOptional, IsString, MaxLength } from 'class-validator';

/** Who holds the lock of a state, as the holder described itself. */
export class LockHolderView {
  /** `user@host` of the holder; absent when it did not say */
  who?: string;
  /** such as `OperationTypeApply`; absent when the holder did not say */
  operation?: string;
  /** when the service took the lock */
  created_at: string;
}

export class LockView {
  /** whether the state is locked; every other property is absent when it is not */
  locked: boolean;
  /** lock id that the holder chose */
  id?: string;
  /** `user@host` of the holder */
  who?: string;
  /** such as `OperationTypeApply` */
  operation?: string;
  /** version of the holder's client */
  version?: string;
  /** further information from the holder */
  info?: string;
  /** when the service took the lock */
  created_at?: string;
  /** older than the installation's maximum age: the next client takes the lock over */
  abandoned?: boolean;
}

export class BreakLockBody {
  /** why the lock is broken; kept in the audit log */
  @IsOptional()
  @IsString()
  @MaxLength(1000)
  reason?: string;
}

export class BrokenLockView {
  /** false when the state was not locked */
  unlocked: boolean;
}
