import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedProviders } from '../../platform/discovery/index.js';

export interface PlanDescription {
  /** what people are told, in one line of plain text; absent when there is nothing to tell */
  text?: string;
  /** it is not known yet, and will be soon */
  isComputing: boolean;
}

/** Contributed by modules that know what a plan means, such as its cost, with `@DescribesPlan('cost_estimation')`. */
export interface PlanDescriber {
  /** such as `Monthly cost` */
  title: string;
  /** Of a transaction that has a plan; an unknown, aborted or unplanned one has no text. */
  describePlan(txId: string): Promise<PlanDescription>;
}

/** Class decorator: this provider is a `PlanDescriber`; repositories switch it by this key of their configuration. */
export const DescribesPlan = DiscoveryService.createDecorator<string>();

/** What other modules say about plans, by the key that switches each. */
@Injectable()
export class PlanDescribers implements OnApplicationBootstrap {
  private describers: ReadonlyMap<string, PlanDescriber> = new Map();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    this.describers = decoratedProviders<PlanDescriber>(this.discovery, DescribesPlan);
  }

  get all(): ReadonlyMap<string, PlanDescriber> {
    return this.describers;
  }
}
