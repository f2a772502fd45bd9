import { deletionOf } from './deletion.rules.js';

describe('the deletion of a node', () => {
  it.each([
    ['aws_vpc.main', 'hcl_delete'],
    ['module.net.local.x', 'hcl_delete'],
    ['terraform@main.tf', 'hcl_delete'],
    ['module.a.terraform@../net/main.tf', 'hcl_delete'],
    ['moved@main.tf:aws_vpc.old', 'hcl_delete'],
    ['module.a.removed@net/main.tf:t', 'hcl_delete'],
    ['import@main.tf:aws_vpc.x["a:b"]', 'hcl_delete'],
    ['terraform.tfvars:region', 'tfvar_delete'],
    ['../common/x.tfvars:region', 'tfvar_delete'],
    ['env:region', 'tfvar_delete'],
    ['-var:region-2', 'tfvar_delete'],
    ['file:data/a.txt', 'file_delete'],
  ])('%s is a %s', (node, action) => {
    expect(deletionOf(node).action).toBe(action);
  });

  it('a file is deleted by its path', () => {
    expect(deletionOf('file:a:b').data).toEqual({ filepath: 'a:b' });
  });
});
