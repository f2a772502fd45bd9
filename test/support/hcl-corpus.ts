/** Configurations that use the whole language; each is planned as it is and as the client writes it again. */
export interface CorpusItem {
  files: Record<string, string>;
  /** needs the fake provider */
  aws?: boolean;
  /** false where Terraform's JSON syntax cannot say it */
  json?: boolean;
}

const data = (name: string, input: string): string =>
  `resource "terraform_data" "${name}" {\n  input = ${input}\n}\n`;

export const CORPUS: Readonly<Record<string, CorpusItem>> = {
  'literals and operators': {
    files: {
      'main.tf': `
variable "n" { default = -3 }
locals {
  a = 1e3
  b = 0.5 # a comment with "quotes" and {
  c = 123456789012345678901234567890
  d = /* inline */ 1 + 2 * 3 % 4 - -1 // end
  e = !(1 == 2) && true || false
  f = 1 < 2 ? "yes" : "no"
  g = null
  h = [1, "two", true, null,
    [3], # comment in a list
    { a = 1 } // another
  ]
  i = { a = 1, "b c" : 2, (local.f) = 3, "x\${local.f}" = 4, 5 = "five", null = 6
    d = [
      1
    ]
  }
  j = (
    1
    + 2
  )
  k = 0.1 + 0.2
  l = 1 != 2
  m = [for s in ["a", "b"] : upper(s) if s != "b"]
  n = { for k, v in { a = 1 } : k => v... }
  o = { for i, v in ["x", "y"] :
    v => i
    if i > 0
  }
  p = [{ a = 1 }, { a = 2 }]
  q = local.p[*].a
  r = local.p.*.a
  s = local.h.0
  t = local.i["b c"]
  u = max([1, 2]...)
  v = []
  w = {}
  x = [{}]
  y = { "a" = { "b" = [{ "c" = "$$\{d}" }] } }
  z = { same = 1, "same2" = 2 }
}
${'abcdefhijklmnopqrstuvwxyz'
  .split('')
  .map((name) => `output "${name}" { value = local.${name} }\n`)
  .join('')}
${data('all', 'jsonencode([local.a, local.b, local.c, local.d, local.e, local.h, local.i, local.y, var.n])')}`,
    },
  },
  'strings and templates': {
    files: {
      'main.tf': `
variable "v" { default = "value" }
locals {
  escapes  = "tab\\t newline\\n quote\\" backslash\\\\ return\\r unicode\\u00e9 astral\\U0001F600 dollar\\u0024{x} percent\\u0025{y}"
  escaped  = "$$\{no} %%{if} $ % $$ %% $x %y $"
  simple   = "\${var.v}"
  mixed    = "a-\${var.v}-\${upper("in\${"ner"}")}-}{"
  directive = "%{ if var.v == "value" }yes%{ else }no%{ endif }"
  loop     = "%{ for i, x in ["a", "b"] ~} \${i}=\${x} %{ endfor ~} end"
  only     = "  \${~ 1 ~}  "
  back     = "a\\r\${var.v}$\\u007bx} $\\r $$\\u0024{ %\\u007b"
  strip    = "  a   \${~ var.v ~}   b"
  heredoc  = <<EOT
plain \\n not an escape \${var.v}
  "quotes" $$\{kept} # no comment
	tab
EOT
  indented = <<-EOT
    first \${var.v}
      second

        third
    %{ if true ~}
    inner
    %{ endif ~}
  EOT
  mixed_indent = <<-END
      deep
    \${var.v} sequence first
   three
END
  blank = <<-EOT
    a
     
    b
    EOT
  nested = upper(<<EOT
a \${lower("B \${<<INNER
inner
INNER
}")} c
EOT
  )
  empty   = ""
  one     = "$"
  braces  = "{}}{"
  json    = "{\\"a\\": \${jsonencode({ b = "c" })}}"
  comment = "# // /* no */"
  unicode = "grüße 日本 \u200b end"
  multi   = "\${
    var.v
  }"
}
output "all" {
  value = [local.escapes, local.escaped, local.simple, local.mixed, local.directive, local.loop, local.only, local.back, local.strip, local.heredoc,
    local.indented, local.mixed_indent, local.blank, local.nested, local.empty, local.one, local.braces, local.json, local.comment, local.unicode, local.multi]
}
${data('all', 'local.escapes')}
`,
    },
  },
  'every place that holds names': {
    files: {
      'main.tf': `
terraform {
  required_version = ">= 1.5, < 2.0"
}
variable "list" { type = list(string) }
variable "object" {
  type = object({
    a = string # first
    b = optional(number, 3)
    c = map(list(object({ d = bool })))
  })
  default     = { a = "x", c = { k = [{ d = true }] } }
  description = "with $$\{x}"
  sensitive   = true
  nullable    = false
}
variable "any" {
  type    = any
  default = [1, "a"]
}
variable "quoted" {
  type    = string
  default = "a\\"b"
  validation {
    condition     = length(var.quoted) > 1
    error_message = "too short: \${var.quoted}"
  }
}
${data('first', '1')}
resource "terraform_data" "second" {
  count            = 2
  input            = terraform_data.first.output
  triggers_replace = [terraform_data.first.id]
  depends_on = [
    terraform_data.first, # why
  ]
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [input, triggers_replace[0]]
    replace_triggered_by  = [terraform_data.first.output, terraform_data.third["a"]]
    precondition {
      condition     = var.quoted != ""
      error_message = "empty"
    }
    postcondition {
      condition     = self.id != ""
      error_message = "no id"
    }
  }
  provisioner "local-exec" {
    command    = "true \${self.id}"
    when       = destroy
    on_failure = continue
  }
  provisioner "local-exec" {
    command     = "true"
    environment = { A = "b" }
  }
  connection {
    host = "example.com"
  }
}
resource "terraform_data" "third" {
  for_each = toset(["a", "b"])
  input    = each.key
  lifecycle { ignore_changes = all }
}
moved {
  from = terraform_data.old["x"]
  to   = terraform_data.third["a"]
}
removed {
  from = terraform_data.gone
  lifecycle {
    destroy = false
  }
}
check "health" {
  data "terraform_remote_state" "x" {
    backend    = "local"
    config     = { path = "\${path.module}/other.tfstate" }
    depends_on = [terraform_data.first]
  }
  assert {
    condition     = data.terraform_remote_state.x.outputs == {}
    error_message = "never"
  }
}
output "list" {
  value      = var.list
  depends_on = [terraform_data.first]
}
output "secret" {
  value     = var.object
  sensitive = true
}
output "any" { value = var.any }
`,
      'terraform.tfvars': 'list = ["a", "b\\n", "$${c}"]\n',
      'other.tfstate':
        '{"version":4,"terraform_version":"1.5.0","serial":1,"lineage":"x","outputs":{},"resources":[]}',
    },
  },
  'constants where nothing is evaluated': {
    json: false,
    files: {
      'main.tf': `
variable "seconds" { default = 60 * 60 }
variable "text" { default = "a $$\{b}" }
variable "sum" { default = (1 + 2) }
output "all" { value = [var.seconds, var.text, var.sum] }
`,
    },
  },
  'modules, nested, called twice, with count and for_each': {
    files: {
      'main.tf': `
module "one" {
  source = "./modules/net"
  name   = "one"
  rules  = [{ port = 1 }, { port = 2 }]
}
module "two" {
  source   = "./modules/net"
  for_each = { a = "x", b = "y" }
  name     = "two-\${each.value}"
  depends_on = [module.one]
}
module "three" {
  count  = 2
  source = "./modules/../modules/net/sub"
  path   = path.module
}
output "names" { value = [module.one.name, module.two["a"].name, module.three[*].here, path.root] }
`,
      'modules/net/main.tf': `
variable "name" { type = string }
variable "rules" {
  type    = list(object({ port = number }))
  default = []
}
module "sub" {
  source = "./sub"
  path   = "\${path.module}/x"
}
${data('net', '"${var.name} ${length(var.rules)} ${file("${path.module}/text.txt")} ${path.module}"')}
output "name" { value = terraform_data.net.input }
`,
      'modules/net/text.txt': 'a text with ${nothing}\n',
      'modules/net/sub/main.tf': `
variable "path" {}
locals { here = "\${path.module} path.module %{ if path.module != "" }\${path.module}%{ endif }" }
${data('sub', '[var.path, local.here, templatefile("${path.module}/t.tftpl", { x = 1 })]')}
output "here" { value = local.here }
`,
      'modules/net/sub/t.tftpl': 'x is ${x}, %{ for i in [1,2] }${i}%{ endfor }',
    },
  },
  'files by every function': {
    files: {
      'main.tf': `
locals { names = fileset(path.module, "data/*.txt") }
output "all" {
  value = [
    file("data/a.txt"), filebase64("./data/b.bin"), filesha256("\${path.root}/data/a.txt"), filemd5("data/a.txt"),
    fileexists("data/missing.txt"), local.names, [for n in local.names : file("\${path.module}/\${n}")],
    templatefile("data/t.tpl", { a = "b" }),
  ]
}
`,
      'data/a.txt': 'A',
      'data/b.bin': '\u0001\u0002ÿ',
      'data/c.txt': 'C',
      'data/t.tpl': 'hello ${a}',
    },
  },
  'override files and JSON': {
    files: {
      'main.tf': `
locals {
  a = 1
  b = 2
}
resource "terraform_data" "x" {
  input = "base"
  triggers_replace = "kept"
  lifecycle {
    create_before_destroy = true
    ignore_changes = [triggers_replace]
  }
}
output "o" { 
  value = local.a
}
`,
      'x_override.tf': `
locals { a = "overridden" }
resource "terraform_data" "x" {
  input = "overridden"
  lifecycle { prevent_destroy = false }
}
`,
      'override.tf.json': '{"output": {"o": {"description": "over", "sensitive": false}}}',
      'more.tf.json': JSON.stringify({
        '//': 'a comment',
        variable: { j: { type: 'list(string)', default: ['$${literal}', 'b'] } },
        locals: { j: '${var.j}', k: { nested: ['${local.a}'] } },
        resource: {
          terraform_data: {
            json: { '//': 'comment', input: '${local.k}', depends_on: ['terraform_data.x'] },
            list: [
              {
                count: 2,
                input: [{ a: 1 }, { a: '${count.index}' }],
                provisioner: [{ 'local-exec': { command: 'true' } }],
              },
            ],
          },
        },
        output: [{ j: { value: '${local.j}' } }, { k: { value: 'x ${local.b}' } }],
      }),
    },
  },
  'a provider, blocks, lists as blocks, dynamic blocks': {
    aws: true,
    json: false,
    files: {
      'main.tf': `
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      configuration_aliases = [aws.west]
    }
  }
}
provider "aws" { region = "eu-central-1" }
provider "aws" {
  alias  = "west"
  region = "us-west-2"
}
data "aws_ami" "a" { owners = ["self"] }
resource "aws_vpc" "main" {
  provider   = aws.west
  cidr_block = "10.0.0.0/16"
  tags       = { Name = "x", "a:b" = "c" }
}
resource "aws_security_group" "blocks" {
  vpc_id = aws_vpc.main.id
  ingress {
    from_port = 1
    to_port   = 2
    protocol  = "tcp"
  }
  dynamic "ingress" {
    for_each = [22, 80]
    iterator = port
    content {
      from_port   = port.value
      to_port     = port.value
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"]
    }
  }
}
resource "aws_security_group" "list" {
  ingress = [{ from_port = 1, to_port = 2, protocol = "tcp", cidr_blocks = [], description = null }]
}
resource "aws_instance" "web" {
  for_each      = { a = 1, b = 2 }
  ami           = data.aws_ami.a.id
  instance_type = "t3.micro"
  user_data     = <<-EOF
    #!/bin/sh
    echo \${each.key} "$\${HOME}"
  EOF
  ebs_block_device {
    device_name = "a"
  }
  dynamic "ebs_block_device" {
    for_each = each.value > 1 ? [each.value] : []
    content {
      device_name = "d\${ebs_block_device.value}"
      volume_size = ebs_block_device.value
    }
  }
}
module "child" {
  source    = "./child"
  providers = {
    aws     = aws
    aws.src = aws.west
  }
}
`,
      'child/main.tf': `
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = ">= 1.0"
      configuration_aliases = [aws.src]
    }
  }
}
resource "aws_s3_bucket" "b" {
  provider = aws.src
  bucket   = "b"
}
resource "aws_s3_bucket" "c" { bucket = "c" }
`,
    },
  },
  'line ends of other systems, and no line end at the end': {
    files: {
      'main.tf':
        'locals {\r\n  a = <<EOT\r\nx\r\ny\r\nEOT\r\n  b = [1,\r\n 2]\r\n}\r\noutput "a" { value = [local.a, local.b] }',
      'empty.tf': '',
      'comment.tf': '# only a comment',
    },
  },
};
