import { Injectable } from '@nestjs/common';
import { CodeHosts, type HostPlace, REPOSITORY_ROLES, type RepositoryRole } from '../../vcs/index.js';

/** Asks the provider whether somebody is one of the people of a list (`user:`, `team:`, `role:`, `*`). */
@Injectable()
export class Permissions {
  constructor(private readonly hosts: CodeHosts) {}

  async isOneOf(place: HostPlace, username: string, people: readonly string[]): Promise<boolean> {
    const isNamed = people.some((entry) => entry === '*' || sameName(entry, `user:${username}`));
    if (isNamed) return true;
    const roles = people.flatMap((entry) => (entry.startsWith('role:') ? [entry.slice('role:'.length)] : []));
    if (roles.length > 0) {
      const held = await this.hosts.of(place.installation.provider).findRole(place, username);
      if (roles.some((role) => isAtLeast(held, role))) return true;
    }
    for (const entry of people)
      if (entry.startsWith('team:') && (await this.isInTeam(place, username, entry.slice('team:'.length))))
        return true;
    return false;
  }

  private isInTeam({ installation }: HostPlace, username: string, team: string): Promise<boolean> {
    return this.hosts.of(installation.provider).isTeamMember(installation, { team, username });
  }
}

function isAtLeast(held: RepositoryRole, role: string): boolean {
  const needed = REPOSITORY_ROLES.findIndex((known) => known === role);
  return needed > 0 && REPOSITORY_ROLES.indexOf(held) >= needed;
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
