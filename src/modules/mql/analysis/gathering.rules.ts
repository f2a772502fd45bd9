import { QueryRefused } from '../mql.errors.js';
import { QUERY_SCHEMA } from '../tables/query-table.js';
import { columnRef, fieldsOf, integerConstant, isTree, listOf, locationOf, type Tree } from './query-tree.js';

/** Bytes that all values of a query which gather rows may be given while one group is gathered. */
const MOST_GATHERED = 64 * 1024 * 1024;
const LARGEST_BIGINT = 2n ** 63n - 1n;

/** An aggregate that fails when what it is given adds up to more: it begins just below the largest bigint. */
export const GATHERED = 'gathered';
export const gatheredAggregate = `CREATE AGGREGATE ${QUERY_SCHEMA}.${GATHERED} (integer)
  (SFUNC = pg_catalog.int84pl, STYPE = bigint, INITCOND = '${LARGEST_BIGINT - BigInt(MOST_GATHERED)}', PARALLEL = SAFE)`;
/** What PostgreSQL says then. */
export const GATHERED_TOO_MUCH = { code: '22003', routine: 'int84pl' };

/**
 * Has the bytes counted that aggregates and `ARRAY(SELECT …)` gather, row by row as they do it: the planner's guess can
 * be talked down by conditions that are always true, and rests on rows of others.
 */
export class GatheringBound {
  /** how many places gather; one node in all of them */
  private readonly places = integerConstant(1);
  private count = 0;

  get collects(): boolean {
    return this.count > 0;
  }

  /** Makes of a call: CASE WHEN what it gathers is within the bound THEN the call END. */
  aggregate(node: Tree): void {
    const gathering = node['FuncCall'] as Tree;
    delete node['FuncCall'];
    node['CaseExpr'] = this.guarded(gathering);
  }

  /** Makes of ARRAY(q): coalesce((SELECT array_agg(item) FROM (q) AS gathered (item)), '{}'), guarded likewise. */
  array(node: Tree): void {
    const link = node['SubLink'] as Tree;
    const select = fieldsOf(link['subselect'], 'SelectStmt') ?? {};
    if (widthOf(select) !== 1)
      throw new QueryRefused('QUERY_ERR', 'ARRAY takes a SELECT of one column', locationOf(link));
    const gathering = this.guarded(callOf(['array_agg'], [columnRef(GATHERED, 'item')]));
    const whole: Tree = {
      targetList: [{ ResTarget: { val: { CaseExpr: gathering } } }],
      fromClause: [
        {
          RangeSubselect: {
            subquery: { SelectStmt: select },
            alias: { aliasname: GATHERED, colnames: [{ String: { sval: 'item' } }] },
          },
        },
      ],
      limitOption: 'LIMIT_OPTION_DEFAULT',
      op: 'SETOP_NONE',
    };
    delete node['SubLink'];
    node['CoalesceExpr'] = {
      args: [
        { SubLink: { subLinkType: 'EXPR_SUBLINK', subselect: { SelectStmt: whole } } },
        { A_Const: { sval: { sval: '{}' } } },
      ],
    };
  }

  private guarded(gathering: Tree): Tree {
    const counted = this.places['A_Const'];
    if (isTree(counted)) counted['ival'] = { ival: ++this.count };
    // As an element of a list a value has its whole size: not that of a compressed one, and null has one too.
    const sizes = listOf(gathering['args']).map((value): Tree => ({
      FuncCall: callOf(['pg_column_size'], [{ A_ArrayExpr: { elements: [value] } }]),
    }));
    const size = sizes.reduce((sum, each) => operator('+', sum, each));
    const { agg_filter, over } = gathering;
    const bound = {
      ...callOf([QUERY_SCHEMA, GATHERED], [operator('*', size, this.places)]),
      ...(agg_filter === undefined ? {} : { agg_filter }),
      ...(over === undefined ? {} : { over }),
    };
    const isWithin = { NullTest: { arg: { FuncCall: bound }, nulltesttype: 'IS_NOT_NULL' } };
    return { args: [{ CaseWhen: { expr: isWithin, result: { FuncCall: gathering } } }] };
  }
}

function callOf(names: readonly string[], args: readonly Tree[]): Tree {
  const funcname = names.map((name) => ({ String: { sval: name } }));
  return { funcname, args, funcformat: 'COERCE_EXPLICIT_CALL' };
}

function operator(name: string, lexpr: Tree, rexpr: Tree): Tree {
  return { A_Expr: { kind: 'AEXPR_OP', name: [{ String: { sval: name } }], lexpr, rexpr } };
}

function widthOf(select: Tree): number {
  let first = select;
  while (isTree(first['larg'])) first = first['larg'];
  const [row] = listOf(first['valuesLists']);
  return listOf(row === undefined ? first['targetList'] : fieldsOf(row, 'List')?.['items']).length;
}
