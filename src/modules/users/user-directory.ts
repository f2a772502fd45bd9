import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Events } from '../../platform/events/index.js';
import { Clock } from '../../platform/time/clock.js';
import { type UserType } from '../access/index.js';
import { UserEntity } from './entities/user.entity.js';
import { UserDeleted } from './user-deleted.event.js';
import { userErrors } from './user.errors.js';
import { isUuid } from '../../platform/text/uuid.js';

export interface NewUser {
  type: UserType;
  name: string;
  email?: string;
  passwordHash?: string;
  authOrigin?: string;
  authSubject?: string;
  avatarUrl?: string;
  /** the one tenant of a service account */
  homeTenantId?: string;
}

/** Finds and stores users; whether one may is decided elsewhere. Deleted ones do not exist here. */
@Injectable()
export class UserDirectory {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly events: Events,
  ) {}

  async find(id: string | undefined): Promise<UserEntity> {
    const user = isUuid(id)
      ? await this.work.manager.findOneBy(UserEntity, { id, deletedAt: IsNull() })
      : null;
    if (!user) throw userErrors.USER_NOT_FOUND();
    return user;
  }

  async exists(id: string | null): Promise<boolean> {
    return id !== null && (await this.work.manager.existsBy(UserEntity, { id, deletedAt: IsNull() }));
  }

  /** Inside a unit of work: nobody else changes the user until it ends. */
  async lock(id: string | undefined): Promise<UserEntity> {
    const user = isUuid(id)
      ? await this.work.manager.findOne(UserEntity, {
          where: { id, deletedAt: IsNull() },
          lock: { mode: 'for_no_key_update' },
        })
      : null;
    if (!user) throw userErrors.USER_NOT_FOUND();
    return user;
  }

  /** Addresses are the same without regard to case. */
  async findByEmail(email: string): Promise<UserEntity | null> {
    return this.work.manager
      .createQueryBuilder(UserEntity, 'u')
      .where('lower(u.email) = lower(:email) AND u.deleted_at IS NULL', { email: email.trim() })
      .getOne();
  }

  async findBySubject(authOrigin: string, authSubject: string): Promise<UserEntity | null> {
    return this.work.manager.findOneBy(UserEntity, { authOrigin, authSubject, deletedAt: IsNull() });
  }

  async anyExists(): Promise<boolean> {
    return this.work.manager.exists(UserEntity);
  }

  async create(user: NewUser): Promise<UserEntity> {
    const entity = this.work.manager.create(UserEntity, {
      type: user.type,
      name: user.name,
      email: user.email ?? null,
      passwordHash: user.passwordHash ?? null,
      authOrigin: user.authOrigin ?? null,
      authSubject: user.authSubject ?? null,
      avatarUrl: user.avatarUrl ?? null,
      homeTenantId: user.homeTenantId ?? null,
      sessionEpoch: 0,
      createdAt: this.clock.now(),
      deletedAt: null,
    });
    return this.store(entity);
  }

  async store(user: UserEntity): Promise<UserEntity> {
    try {
      return await this.work.manager.save(user);
    } catch (error) {
      throw isUniqueViolation(error) ? userErrors.EMAIL_TAKEN() : error;
    }
  }

  /** Inside a unit of work: every session ends, and the modules that keep something of the user drop it. */
  async remove(user: UserEntity): Promise<UserEntity> {
    user.deletedAt = this.clock.now();
    user.sessionEpoch += 1;
    await this.store(user);
    await this.events.publish(new UserDeleted(user.id));
    return user;
  }
}
