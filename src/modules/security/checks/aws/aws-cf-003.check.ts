import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, isIn, isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-CF-003',
  title: 'CloudFront distribution must require TLS 1.2 from viewers',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['CKV_AWS_174'],
  types: ['aws_cloudfront_distribution'],
  fail: any(
    isEmpty('viewer_certificate'),
    isTrue('viewer_certificate.0.cloudfront_default_certificate'),
    isIn('viewer_certificate.0.minimum_protocol_version', [
      null,
      '',
      'SSLv3',
      'TLSv1',
      'TLSv1_2016',
      'TLSv1.1_2016',
    ]),
  ),
  remediation:
    'Use a certificate of your own in viewer_certificate (acm_certificate_arn or iam_certificate_id) and set minimum_protocol_version = "TLSv1.2_2021" there.',
  failing: [{}, { viewer_certificate: [{ cloudfront_default_certificate: true }] }],
  passing: [
    {
      viewer_certificate: [
        { minimum_protocol_version: 'TLSv1.2_2021', cloudfront_default_certificate: false },
      ],
    },
    {
      viewer_certificate: [
        { minimum_protocol_version: 'TLSv1.2_2021', cloudfront_default_certificate: false },
      ],
    },
  ],
});
