import type {
  AccessConfiguration,
  GetAccessConfigurationRequest,
} from '../../../gen/daikon/v1/access.ts'
import type { Handler } from '../../core/request-context.ts'

/** Creates the handler that returns the endpoints of the Access API. */
export function createGetAccessConfiguration(
  baseUrl: string,
): Handler<GetAccessConfigurationRequest, AccessConfiguration> {
  const endpoint = (path: string) => `${baseUrl}/access/v1/${path}`
  return async () => ({
    policy_decision_point: baseUrl,
    access_evaluation_endpoint: endpoint('evaluation'),
    access_evaluations_endpoint: endpoint('evaluations'),
    search_subject_endpoint: endpoint('search/subject'),
    search_resource_endpoint: endpoint('search/resource'),
    search_action_endpoint: endpoint('search/action'),
  })
}
